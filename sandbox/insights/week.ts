import { addDays, type DaySummary } from '../population/index.ts';
import type { HrvType } from './profile-payload.ts';

/** Section 8: the previous seven days. */
export const WEEK_DAYS = 7;
/** A metric of fewer days than this says nothing of the week. */
export const VALID_DAYS_MIN = 3;
/** How far back before the week the usual heart rate variability is looked for. */
const BEFORE_DAYS = 23;
const HRV_BASELINE_DAYS_MIN = 7;

/** What was measured of one metric in the week; days without it are not among the values. */
export interface Series {
  readonly values: readonly number[];
  /** Null with too few days. */
  readonly mean: number | null;
  /** Of the week's days, 0 to 1; 0 where there is no mean. */
  readonly coverage: number;
}

export const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function seriesOf(
  days: readonly DaySummary[],
  read: (day: DaySummary) => number | null | undefined,
  reliabilityOf: (day: DaySummary) => number = () => 1,
): Series {
  const valid = days.filter((day) => isNumber(read(day)));
  const values = valid.map(read).filter(isNumber);
  if (values.length < VALID_DAYS_MIN) return { values, mean: null, coverage: 0 };
  const weight = valid.reduce((sum, day) => sum + reliabilityOf(day), 0);
  return { values, mean: meanOf(values), coverage: Math.min(1, weight / WEEK_DAYS) };
}

/** One summary of each date that lies within, by date; of several of one date the last. */
export function daysWithin(days: readonly DaySummary[], from: string, to: string): DaySummary[] {
  const byDate = new Map(days.filter(({ date }) => date >= from && date <= to).map((day) => [day.date, day]));
  return [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
}

export const weekUpTo = (days: readonly DaySummary[], date: string): DaySummary[] =>
  daysWithin(days, addDays(date, 1 - WEEK_DAYS), date);

/** iOS reports SDNN, all other sources RMSSD. */
const hrvTypeOf = (day: DaySummary): HrvType => (day.sourceOf['body.hrvMs'] === 'IosHealth' ? 'sdnn' : 'rmssd');

export interface Variability {
  readonly type: HrvType | null;
  readonly week: Series;
  /** The week's mean less what is usual for the user; null where that is not known. */
  readonly delta: number | null;
}

/** Of the kind that more days have: the two are never averaged or compared with each other. */
export function variabilityOf(days: readonly DaySummary[], date: string): Variability {
  const week = weekUpTo(days, date);
  const before = daysWithin(days, addDays(date, 1 - WEEK_DAYS - BEFORE_DAYS), addDays(date, -WEEK_DAYS));
  const valuesOf = (type: HrvType, among: readonly DaySummary[]): Series =>
    seriesOf(among, (day) => (hrvTypeOf(day) === type && (day.body?.hrvMs ?? 0) > 0 ? day.body?.hrvMs : null));
  const type = valuesOf('sdnn', week).values.length > valuesOf('rmssd', week).values.length ? 'sdnn' : 'rmssd';
  const series = valuesOf(type, week);
  const usual = valuesOf(type, before).values;
  return {
    type: series.mean === null ? null : type,
    week: series,
    delta: series.mean === null || usual.length < HRV_BASELINE_DAYS_MIN ? null : series.mean - meanOf(usual),
  };
}
