import { rounded, type Measured } from './measure.ts';
import type { DaySummary, Sample } from './readings.ts';
import type { DataSourceName } from './source-traits.ts';

/*
 * People of whom things are said that could mislead whoever treats them: each value possible by itself, so that nothing
 * but a second look finds it.
 */
export const HAZARDS = ['bmi-mismatch', 'repeated-weight', 'oxygen-dip', 'clock-ahead', 'pressure-swapped'] as const;
export type Hazard = (typeof HAZARDS)[number];

/** The last of each hundred, so that small populations have none. */
const EVERY = 100;

export function hazardOf(n: number): Hazard | null {
  return HAZARDS[EVERY - 1 - (n % EVERY)] ?? null;
}

/** All of them own what it takes. */
export const HAZARD_WARDROBE = [
  'RingWearable',
  'ConnectedScale',
  'IosHealth',
] as const satisfies readonly DataSourceName[];

/** The scale is believed first, so what is wrong with it reaches the chart. */
const FAULTY = 'ConnectedScale';
export const isFaulty = (hazard: Hazard | null, dataSource: string): boolean =>
  hazard !== null && dataSource === FAULTY;

/** More than the 26 hours that a day may be ahead of its receipt. */
const AHEAD_DAYS = 3;
/** How many days the clock of a device is fast: what it measures today it files under a day that has not begun. */
export const clockAheadDays = (hazard: Hazard | null): number => (hazard === 'clock-ahead' ? AHEAD_DAYS : 0);

const WRONG_HEIGHT = 1.3;
const REPEAT_BLOCK_DAYS = 14;
const REPEATED_DAYS = 10;
const DIP_EVERY_DAYS = 3;
const DIP_HOURS = [2, 4] as const;
const DIP_PERCENT = 88;

/** The first of the days on which the scale shows one value; null where it works. */
export function repeatedSince(hazard: Hazard | null, day: number): number | null {
  const since = day - (day % REPEAT_BLOCK_DAYS);
  return hazard === 'repeated-weight' && day - since < REPEATED_DAYS ? since : null;
}

/** What a faulty device makes of what it measured. */
export function misread(hazard: Hazard | null, measured: Measured): Measured {
  const { body } = measured;
  if (hazard !== 'bmi-mismatch' || body === null || body.bmi === null) return measured;
  return { ...measured, body: { ...body, bmi: rounded(Math.min(65, body.bmi * WRONG_HEIGHT), 1) } };
}

/** After all cleaning, the two sides of a pressure are filed under each other's name. */
export function misfile(hazard: Hazard | null, summary: DaySummary | null): DaySummary | null {
  const body = summary?.body ?? null;
  if (hazard !== 'pressure-swapped' || summary === null || body === null) return summary;
  return { ...summary, body: { ...body, systolic: body.diastolic, diastolic: body.systolic } };
}

/** A night now and then with one low reading, which is said at once and again in the summary of the day. */
export function dip(
  hazard: Hazard | null,
  samples: readonly Sample[],
  startsAt: number,
  day: number,
): readonly Sample[] {
  if (hazard !== 'oxygen-dip' || day % DIP_EVERY_DAYS !== 0) return samples;
  const [from, to] = DIP_HOURS.map((hour) => startsAt + hour * 3_600_000) as [number, number];
  return samples.map((sample) =>
    sample.kind === 'spo2' && sample.at >= from && sample.at < to ? { ...sample, values: [DIP_PERCENT] } : sample,
  );
}
