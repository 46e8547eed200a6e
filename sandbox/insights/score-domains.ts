import type { DaySummary } from '../population/index.ts';
import type { ActivityMetrics, BodyMetrics, CardioMetrics, RecoveryMetrics, SleepMetrics } from './profile-payload.ts';
import { rounded } from './signals.ts';
import { sleepConsistencyOf } from './sleep-consistency.ts';
import { meanOf, seriesOf, variabilityOf, weekUpTo, WEEK_DAYS, type Series } from './week.ts';

/** A domain before its level and trend; null where it cannot be computed. */
export type Scored<M> = {
  readonly score: number;
  readonly metrics: M;
  /** The part of the week, 0 to 1, that each metric rests on. */
  readonly coverage: Readonly<Record<string, number>>;
} | null;

export interface ScoredDomains {
  readonly activity: Scored<ActivityMetrics>;
  readonly sleep: Scored<SleepMetrics>;
  readonly cardio: Scored<CardioMetrics>;
  readonly recovery: Scored<RecoveryMetrics>;
  readonly body: Scored<BodyMetrics & Readings>;
}
/** What the observations about the body need; it is not in the payload. */
interface Readings {
  readonly bmi: number | null;
  readonly systolic: number | null;
  readonly diastolic: number | null;
  readonly spo2: number | null;
}

/**
 * How many of a domain's hundred points a metric can take away, and how much of that it takes, 0 to 1; null was not
 * measured.
 */
type Loss = readonly [points: number, share: number | null];

/** From 0 at `good` to 1 at `bad`, whichever of them is higher. */
const shortfall = (value: number | null, good: number, bad: number): number | null =>
  value === null ? null : Math.min(1, Math.max(0, (value - good) / (bad - good)));

/** Outside on either side. */
const outside = (value: number | null, low: number, high: number, reach: number): number | null =>
  value === null ? null : Math.min(1, Math.max(0, low - value, value - high) / reach);

/**
 * A hundred, less what each measured metric takes away: so a metric that is missing can never lower the score. Null
 * where none of those was measured without which the domain cannot be computed.
 */
function scoreOf(leading: readonly Series[], losses: readonly Loss[]): number | null {
  if (leading.every(({ mean }) => mean === null)) return null;
  return Math.round(losses.reduce((score, [points, share]) => score - points * (share ?? 0), 100));
}

const int = (value: number | null): number | null => (value === null ? null : Math.round(value));
const float = (value: number | null, decimals: number): number | null =>
  value === null ? null : rounded(value, decimals);

/** Confidence is the part of the week's measurements that are there, over all that the domain could have. */
function scored<M extends object>(
  score: number | null,
  coverage: Readonly<Record<string, number>>,
  metrics: M,
): Scored<M & { readonly confidence_score_int: number }> {
  if (score === null) return null;
  const confidence = Math.round(100 * meanOf(Object.values(coverage)));
  return { score, metrics: { confidence_score_int: confidence, ...metrics }, coverage };
}

/** A day counts as active from half an hour on. */
const ACTIVE_DAY_S = 1_800;
/** What a night should have. */
const SLEEP_NEED_HOURS = 7.5;
/** A night of which the rest is still to come counts half. */
const nightReliability = ({ sleep }: DaySummary): number => (sleep?.isComplete === true ? 1 : 0.5);

function activityOf(week: readonly DaySummary[]): Scored<ActivityMetrics> {
  const steps = seriesOf(week, ({ physical }) => physical?.steps);
  const active = seriesOf(week, ({ physical }) => physical?.activeSeconds);
  const kcal = seriesOf(week, ({ physical }) => physical?.activeKcal);
  const minutes = active.mean === null ? null : active.mean / 60;
  const activeDays = active.mean === null ? null : active.values.filter((seconds) => seconds >= ACTIVE_DAY_S).length;
  // Of the days that are known: one that is not must not count as one without movement.
  const activeShare = activeDays === null ? null : activeDays / active.values.length;
  const score = scoreOf(
    [steps, active],
    [
      [45, shortfall(steps.mean, 10_000, 2_000)],
      [30, shortfall(minutes, 60, 5)],
      [15, shortfall(activeShare, 6 / WEEK_DAYS, 0)],
      [10, shortfall(kcal.mean, 500, 50)],
    ],
  );
  const coverage = {
    daily_steps_avg_int: steps.coverage,
    active_avg_minutes_int: active.coverage,
    activity_calories_avg_kcal_float: kcal.coverage,
    activity_frequency_int: active.coverage,
  };
  return scored(score, coverage, {
    daily_steps_avg_int: int(steps.mean),
    active_avg_minutes_int: int(minutes),
    activity_calories_avg_kcal_float: float(kcal.mean, 1),
    activity_frequency_int: activeDays,
  });
}

const hoursOf = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : seconds / 3_600;

const durationOf = (week: readonly DaySummary[]): Series =>
  seriesOf(week, ({ sleep }) => hoursOf(sleep?.durationS), nightReliability);

function efficiencyOf({ sleep }: DaySummary): number | null {
  const [asleep, inBed] = [sleep?.durationS ?? null, sleep?.inBedS ?? null];
  return asleep === null || inBed === null || inBed <= 0 ? null : Math.min(100, Math.max(1, (100 * asleep) / inBed));
}

function sleepOf(week: readonly DaySummary[]): Scored<SleepMetrics> {
  const duration = durationOf(week);
  const inBed = seriesOf(week, ({ sleep }) => hoursOf(sleep?.inBedS), nightReliability);
  const efficiency = seriesOf(week, efficiencyOf, nightReliability);
  const consistency = sleepConsistencyOf(week);
  const nights = seriesOf(week, ({ sleep }) => sleep?.startedAt, nightReliability);
  const score = scoreOf(
    [duration],
    [
      [55, outside(duration.mean, 7.25, 9, 2.5)],
      [25, shortfall(efficiency.mean, 92, 70)],
      [20, shortfall(consistency?.score_int ?? null, 95, 0)],
    ],
  );
  const coverage = {
    sleep_duration_avg_hours_float: duration.coverage,
    sleep_efficiency_1_100_avg_int: efficiency.coverage,
    time_in_bed_avg_hours_float: inBed.coverage,
    sleep_consistency_dict: nights.coverage,
  };
  return scored(score, coverage, {
    sleep_duration_avg_hours_float: float(duration.mean, 2),
    sleep_efficiency_1_100_avg_int: int(efficiency.mean),
    time_in_bed_avg_hours_float: float(inBed.mean, 2),
    sleep_consistency_dict: consistency,
  });
}

function cardioOf(days: readonly DaySummary[], date: string): Scored<CardioMetrics> {
  const week = weekUpTo(days, date);
  const resting = seriesOf(week, ({ body }) => body?.restingHeartRate);
  const highest = seriesOf(week, ({ physical }) => physical?.maxHeartRate);
  const lowest = seriesOf(week, ({ physical }) => physical?.minHeartRate);
  const active = seriesOf(week, ({ physical }) => physical?.activeSeconds);
  const hrv = variabilityOf(days, date);
  // The highest and the lowest rate are told, but say too little of a heart to be judged.
  const score = scoreOf(
    [resting, hrv.week],
    [
      [50, shortfall(resting.mean, 55, 90)],
      [30, shortfall(hrv.week.mean, 65, 15)],
      [20, shortfall(active.mean, 3_000, 300)],
    ],
  );
  const coverage = {
    hr_resting_avg_int: resting.coverage,
    hrv_avg_float: hrv.week.coverage,
    active_duration_avg_seconds_float: active.coverage,
    hr_max_avg_int: highest.coverage,
    hr_min_avg_int: lowest.coverage,
  };
  return scored(score, coverage, {
    hr_resting_avg_int: int(resting.mean),
    hrv_avg_float: float(hrv.week.mean, 1),
    hrv_type_string: hrv.type,
    active_duration_avg_seconds_float: float(active.mean, 1),
    hr_max_avg_int: int(highest.mean),
    hr_min_avg_int: int(lowest.mean),
  });
}

function recoveryOf(days: readonly DaySummary[], date: string): Scored<RecoveryMetrics> {
  const week = weekUpTo(days, date);
  const resting = seriesOf(week, ({ body }) => body?.restingHeartRate);
  const duration = durationOf(week);
  const hrv = variabilityOf(days, date);
  const change = hrv.delta === null || hrv.week.mean === null ? null : hrv.delta / (hrv.week.mean - hrv.delta);
  // Long nights pay back short ones, but nobody sleeps ahead.
  const debt =
    duration.mean === null
      ? null
      : Math.max(
          0,
          duration.values.reduce((sum, hours) => sum + SLEEP_NEED_HOURS - hours, 0),
        );
  const score = scoreOf(
    [resting, hrv.week, duration],
    [
      [25, shortfall(resting.mean, 55, 90)],
      [15, shortfall(hrv.week.mean, 65, 15)],
      [30, shortfall(change, 0.05, -0.3)],
      [30, shortfall(debt === null ? null : debt / duration.values.length, 0, 2)],
    ],
  );
  const coverage = {
    hr_resting_avg_int: resting.coverage,
    hrv_avg_float: hrv.week.coverage,
    hrv_baseline_delta_float: hrv.delta === null ? 0 : hrv.week.coverage,
    sleep_debt_hours_float: duration.coverage,
  };
  return scored(score, coverage, {
    hr_resting_avg_int: int(resting.mean),
    hrv_avg_float: float(hrv.week.mean, 1),
    hrv_type_string: hrv.type,
    hrv_baseline_delta_float: float(hrv.delta, 2),
    sleep_debt_hours_float: float(debt, 2),
  });
}

function bodyOf(week: readonly DaySummary[]): Scored<BodyMetrics & Readings> {
  const bmi = seriesOf(week, ({ body }) => body?.bmi);
  const systolic = seriesOf(week, ({ body }) => body?.systolic);
  const diastolic = seriesOf(week, ({ body }) => body?.diastolic);
  const spo2 = seriesOf(week, ({ body }) => body?.spo2);
  const score = scoreOf(
    [bmi, systolic, diastolic],
    [
      [40, outside(bmi.mean, 18.5, 24, 10)],
      [25, outside(systolic.mean, 90, 115, 35)],
      [15, outside(diastolic.mean, 55, 75, 20)],
      [20, shortfall(spo2.mean, 97, 88)],
    ],
  );
  const coverage = {
    bmi: bmi.coverage,
    systolic: systolic.coverage,
    diastolic: diastolic.coverage,
    spo2: spo2.coverage,
  };
  return scored(score, coverage, {
    bmi: float(bmi.mean, 1),
    systolic: int(systolic.mean),
    diastolic: int(diastolic.mean),
    spo2: float(spo2.mean, 1),
  });
}

/** The five domains of the seven days up to and including that date. */
export function scoreDomains(days: readonly DaySummary[], date: string): ScoredDomains {
  const week = weekUpTo(days, date);
  return {
    activity: activityOf(week),
    sleep: sleepOf(week),
    cardio: cardioOf(days, date),
    recovery: recoveryOf(days, date),
    body: bodyOf(week),
  };
}
