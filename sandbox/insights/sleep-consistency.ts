import { offsetMs, type DaySummary } from '../population/index.ts';
import type { Regularity, SleepConsistency } from './profile-payload.ts';
import { meanOf, VALID_DAYS_MIN } from './week.ts';

const DAY = 1_440;
const withinDay = (minutes: number): number => ((minutes % DAY) + DAY) % DAY;

/** Minutes since midnight on the wall. */
const minuteOfDay = (zone: string, at: number): number => withinDay(Math.floor((at + offsetMs(zone, at)) / 60_000));

const two = (n: number): string => String(n).padStart(2, '0');
/** HH:MM of a minute, whichever day it falls on. */
function clockText(minute: number): string {
  const within = withinDay(minute);
  return `${two(Math.floor(within / 60))}:${two(within % 60)}`;
}

/** The shorter way round the clock, from -720 to 720. */
const around = (minutes: number): number => withinDay(minutes + DAY / 2) - DAY / 2;

/** The middle of times on a clock: 23:30 and 00:30 meet at midnight, not at noon. */
function middleOf(minutes: readonly number[]): number {
  const angles = minutes.map((minute) => (minute / DAY) * 2 * Math.PI);
  const angle = Math.atan2(meanOf(angles.map(Math.sin)), meanOf(angles.map(Math.cos)));
  const rough = (angle / (2 * Math.PI)) * DAY;
  return rough + meanOf(minutes.map((minute) => around(minute - rough)));
}

/** Typical is what lies within one standard deviation, to five minutes. */
function regularityOf(minutes: readonly number[]): Regularity {
  const middle = middleOf(minutes);
  const deviation = Math.sqrt(meanOf(minutes.map((minute) => around(minute - middle) ** 2)));
  const five = (minute: number): number => Math.round(minute / 5) * 5;
  return {
    variability_int: Math.round(deviation),
    typical_interval_array: [clockText(five(middle - deviation)), clockText(five(middle + deviation))],
  };
}

/** Up to a quarter of an hour is as regular as anybody is; two hours is not regular at all. */
const REGULAR_MINUTES = 15;
const IRREGULAR_MINUTES = 120;

/** When the user goes to sleep and wakes, by the clock on the wall where the user was; null with too few nights. */
export function sleepConsistencyOf(week: readonly DaySummary[]): SleepConsistency | null {
  const nights = week.flatMap(({ sleep, zone }) => (sleep === null ? [] : [{ sleep, zone }]));
  if (nights.length < VALID_DAYS_MIN) return null;
  const start = regularityOf(nights.map(({ sleep, zone }) => minuteOfDay(zone, sleep.startedAt)));
  const end = regularityOf(nights.map(({ sleep, zone }) => minuteOfDay(zone, sleep.endedAt)));
  const spread = (start.variability_int + end.variability_int) / 2;
  const share = (IRREGULAR_MINUTES - spread) / (IRREGULAR_MINUTES - REGULAR_MINUTES);
  return { score_int: Math.round(100 * Math.min(1, Math.max(0, share))), start, end };
}
