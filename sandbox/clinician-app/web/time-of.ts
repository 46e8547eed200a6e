import type { Observation } from './chart-parts.ts';

const DAY_SECONDS = 86_400;
/** A device's clock may be a little fast. */
const FAST_SECONDS = 3_600;
/** Without a zone it may be as late as the last place on earth to begin a day, and the first to end it. */
const UNZONED_SECONDS = 26 * 3_600;

/**
 * When something was measured, on the clock beside the patient: seconds as if that clock were UTC. All null where no
 * time was said.
 */
export interface MeasuredTime {
  readonly at: number | null;
  /** Of a period its end, otherwise the same. */
  readonly lastAt: number | null;
  /** How far that clock is ahead of UTC; null where the chart does not say. */
  readonly offsetSeconds: number | null;
  readonly when: string;
  readonly extent: 'moment' | 'day' | 'period';
}

interface WallTime {
  readonly at: number;
  readonly day: string;
  readonly time: string;
  readonly offsetSeconds: number | null;
}

function offsetOf(text: string): number | null {
  if (text.endsWith('Z')) return 0;
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(text) ?? [];
  if (sign === undefined) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}

/** The date and time as the patient's clock showed them; the offset is not applied, so that a day stays that day. */
function wallTime(text = ''): WallTime | null {
  const [, day = '', time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(text) ?? [];
  const at = Date.parse(`${day}T${time ?? '00:00'}:00Z`) / 1000;
  if (Number.isNaN(at)) return null;
  return { at, day, time: time ?? '', offsetSeconds: time === undefined ? null : offsetOf(text) };
}

export function timeOf({ effectiveDateTime, effectiveInstant, effectivePeriod }: Observation): MeasuredTime {
  const made = (one: WallTime, last: WallTime, when: string, extent: MeasuredTime['extent']): MeasuredTime => ({
    at: one.at,
    lastAt: last.at,
    offsetSeconds: one.offsetSeconds,
    when: when.trim(),
    extent,
  });
  const moment = wallTime(effectiveDateTime ?? effectiveInstant);
  if (moment !== null)
    return made(moment, moment, `${moment.day} ${moment.time}`, moment.time === '' ? 'day' : 'moment');
  const start = wallTime(effectivePeriod?.start);
  const end = wallTime(effectivePeriod?.end);
  if (start === null && end === null)
    return { at: null, lastAt: null, offsetSeconds: null, when: 'no date', extent: 'moment' };
  if (start === null) return made(end as WallTime, end as WallTime, `until ${end?.day ?? ''}`, 'period');
  if (end === null) return made(start, start, `${start.day} ${start.time}`, 'period');
  if (start.time === '00:00' && end.day === start.day) return made(start, end, start.day, 'day');
  const until = `${end.day === start.day ? '' : `${end.day} `}${end.time}`;
  return made(start, end, `${start.day} ${start.time} to ${until}`, 'period');
}

/** The patient's own clock now; without an offset that of whoever looks. */
const wallNow = (now: Date, offsetSeconds: number | null): number =>
  now.getTime() / 1000 + (offsetSeconds ?? -now.getTimezoneOffset() * 60);

const dayOf = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/** Days of the calendar from the measurement to today; null where it has no time. */
export function daysAgo({ lastAt, offsetSeconds }: MeasuredTime, now: Date): number | null {
  if (lastAt === null) return null;
  return Math.max(0, dayOf(wallNow(now, offsetSeconds)) - dayOf(lastAt));
}

/** Nobody can have measured it yet: a device's clock, or somebody's typing, is wrong. */
export function isAhead({ at, offsetSeconds }: MeasuredTime, now: Date): boolean {
  if (at === null) return false;
  return offsetSeconds === null
    ? at > now.getTime() / 1000 + UNZONED_SECONDS
    : at > wallNow(now, offsetSeconds) + FAST_SECONDS;
}

/**
 * How old a measurement is, in words. Where the patient is, it may be another day than where the chart is looked at.
 */
export function ageText(measured: MeasuredTime, now: Date): string {
  const days = daysAgo(measured, now);
  if (days === null) return 'date unknown';
  if (days > 1) return `${days} days ago`;
  const isOtherDay = dayOf(wallNow(now, measured.offsetSeconds)) !== dayOf(wallNow(now, null));
  return `${days === 0 ? 'today' : 'yesterday'}${isOtherDay ? ' on the patient’s clock' : ''}`;
}

/**
 * The first and the last second of the days that end today, as whoever looks counts them; from the beginning where
 * `days` is null.
 */
export function windowOf(days: number | null, now: Date): { readonly from: number | null; readonly to: number } {
  const midnight = dayOf(wallNow(now, null)) * DAY_SECONDS;
  return { from: days === null ? null : midnight - (days - 1) * DAY_SECONDS, to: midnight + DAY_SECONDS };
}
