/* Section 2.7. */

export const DOMAINS = ['activity', 'sleep', 'cardio', 'recovery', 'body'] as const;
export type Domain = (typeof DOMAINS)[number];

export type Level = 'Optimal' | 'Good' | 'Moderate' | 'Poor' | 'Critical';
export type Trend = 'improving' | 'stable';

export interface Regularity {
  /** Minutes. */
  readonly variability_int: number;
  /** HH:MM, local; the first may be the later one, where midnight lies between them. */
  readonly typical_interval_array: readonly [string, string];
}
export interface SleepConsistency {
  readonly score_int: number;
  readonly start: Regularity;
  readonly end: Regularity;
}

interface WithConfidence {
  readonly confidence_score_int: number;
}
export interface ActivityMetrics extends WithConfidence {
  readonly daily_steps_avg_int: number | null;
  readonly active_avg_minutes_int: number | null;
  readonly activity_calories_avg_kcal_float: number | null;
  readonly activity_frequency_int: number | null;
}
export interface SleepMetrics extends WithConfidence {
  readonly sleep_duration_avg_hours_float: number | null;
  readonly sleep_efficiency_1_100_avg_int: number | null;
  readonly time_in_bed_avg_hours_float: number | null;
  readonly sleep_consistency_dict: SleepConsistency | null;
}
export type HrvType = 'rmssd' | 'sdnn';
export interface CardioMetrics extends WithConfidence {
  readonly hr_resting_avg_int: number | null;
  readonly hrv_avg_float: number | null;
  readonly hrv_type_string: HrvType | null;
  readonly active_duration_avg_seconds_float: number | null;
  readonly hr_max_avg_int: number | null;
  readonly hr_min_avg_int: number | null;
}
export interface RecoveryMetrics extends WithConfidence {
  readonly hr_resting_avg_int: number | null;
  readonly hrv_avg_float: number | null;
  readonly hrv_type_string: HrvType | null;
  readonly hrv_baseline_delta_float: number | null;
  readonly sleep_debt_hours_float: number | null;
}
/** Its fields are not shown, so there is none but the one that every domain has. */
export type BodyMetrics = WithConfidence;

export interface DomainObject<M extends WithConfidence = WithConfidence> {
  readonly score_int: number | null;
  readonly level_string: Level | null;
  readonly trend_string: Trend | null;
  readonly metrics: M | null;
}

export interface Profiles {
  readonly activity: DomainObject<ActivityMetrics>;
  readonly sleep: DomainObject<SleepMetrics>;
  readonly cardio: DomainObject<CardioMetrics>;
  readonly recovery: DomainObject<RecoveryMetrics>;
  readonly body: DomainObject;
}

export interface Remark {
  readonly text_string: string;
  readonly confidence_int: number;
}

export interface ProfilePayload {
  readonly version: 1;
  readonly document_version: number;
  readonly data_structure: 'user_profile';
  readonly user_id: string;
  readonly client_uuid: string;
  readonly user_profile_data: {
    readonly metadata: {
      readonly datetime_string: string;
      readonly user_id_string: string;
      readonly request_id_string: string;
    };
    readonly demographics: {
      readonly sex_string: string | null;
      readonly birth_year_int: number | null;
      readonly country_string: string | null;
      readonly utc_offset_seconds_int: number | null;
    };
    readonly profiles: Profiles;
    readonly overall: {
      readonly health_score_int: number;
      readonly category_string: Level;
      readonly trend_string: Trend | null;
      readonly confidence_score_int: number;
    };
    readonly observations: readonly Remark[];
  };
}

/** By the lowest score of each. */
const LEVELS: readonly (readonly [number, Level])[] = [
  [80, 'Optimal'],
  [65, 'Good'],
  [50, 'Moderate'],
  [30, 'Poor'],
];
export const levelOf = (score: number): Level => LEVELS.find(([from]) => score >= from)?.[1] ?? 'Critical';

/** A rise that is more than the noise of a week. Only two words are known; what has fallen is not improving. */
const RISE = 3;
export const trendOf = (before: number | null | undefined, now: number | null): Trend | null =>
  before === null || before === undefined || now === null ? null : now - before >= RISE ? 'improving' : 'stable';
