import type { DaySummary } from '../population/index.ts';

/** Section 2.8: a summary always has all five, in this order. */
export const SIGNAL_TYPES = [
  'resting_heart_rate',
  'hrv',
  'resting_breathing_rate',
  'oxygenation',
  'sleep_duration',
] as const;
export type SignalType = (typeof SIGNAL_TYPES)[number];

/** Those that are compared with what is usual for the user. */
export const BASELINE_SIGNALS = ['resting_heart_rate', 'hrv', 'resting_breathing_rate'] as const;
export type BaselineSignal = (typeof BASELINE_SIGNALS)[number];

export interface SignalKind {
  readonly method: 'baseline_deviation' | 'fixed_range';
  readonly unit: string;
  /** Decimals of a measured value: enough to tell two values apart, and no more. */
  readonly decimals: number;
}

export const SIGNAL_KINDS: Readonly<Record<SignalType, SignalKind>> = {
  resting_heart_rate: { method: 'baseline_deviation', unit: 'bpm', decimals: 1 },
  hrv: { method: 'baseline_deviation', unit: 'ms', decimals: 1 },
  resting_breathing_rate: { method: 'baseline_deviation', unit: 'breaths_per_min', decimals: 1 },
  oxygenation: { method: 'fixed_range', unit: 'percentage', decimals: 1 },
  sleep_duration: { method: 'fixed_range', unit: 'seconds', decimals: 0 },
};

/** Bounds of one signal; a side that is null or absent does not apply. */
export interface Bounds {
  readonly deviation_below_percent_float?: number | null;
  readonly deviation_above_percent_float?: number | null;
  readonly threshold_min_float?: number | null;
  readonly threshold_max_float?: number | null;
}

/** The rule that holds for the user and a signal: the user's own, the client's, the service's. */
export type RuleOf = (signal: SignalType) => { readonly rule: Bounds; readonly isDefault: boolean };

/** Section 2.8. The deviation fields are of summaries only. */
export interface SignalObject {
  readonly signal_type_string: SignalType;
  readonly measured_value_float: number | null;
  readonly baseline_value_float: number | null;
  readonly threshold_type_string: SignalKind['method'] | null;
  readonly deviation_below_percent_float?: number | null;
  readonly deviation_above_percent_float?: number | null;
  readonly threshold_min_float: number | null;
  readonly threshold_max_float: number | null;
  readonly breach_direction_string: 'above' | 'below' | null;
  readonly unit_string: string | null;
  readonly is_default_config_bool: boolean;
  readonly source_of_data_string: string | null;
  readonly measured_at_string: string | null;
}

export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

export interface Measured {
  readonly value: number;
  readonly at: number;
  readonly source: string | null;
}

export interface Limits {
  readonly min: number | null;
  readonly max: number | null;
}

export function breachOf(value: number, { min, max }: Limits): 'above' | 'below' | null {
  if (min !== null && value < min) return 'below';
  return max !== null && value > max ? 'above' : null;
}

/** How far outside; 0 inside. */
export function distanceOutside(value: number, { min, max }: Limits): number {
  return Math.max(0, min === null ? 0 : min - value, max === null ? 0 : value - max);
}

const DAILY_FIELDS: Readonly<Record<SignalType, readonly string[]>> = {
  resting_heart_rate: ['body.restingHeartRate'],
  hrv: ['body.hrvMs'],
  resting_breathing_rate: ['sleep.breathingRate'],
  oxygenation: ['sleep.spo2', 'body.spo2', 'physical.spo2'],
  sleep_duration: ['sleep.durationS'],
};

/**
 * The day's value of a signal, which is said of the moment at which the night ended; null where it was not measured.
 */
export function dailyValue(day: DaySummary, type: SignalType): Measured | null {
  for (const field of DAILY_FIELDS[type]) {
    const [group = '', metric = ''] = field.split('.');
    const readings = day[group as 'body' | 'physical' | 'sleep'] as Readonly<Record<string, unknown>> | null;
    const value = readings?.[metric];
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    return {
      value: rounded(value, SIGNAL_KINDS[type].decimals),
      at: day.sleep?.endedAt ?? day.endsAt - 1_000,
      source: day.sourceOf[field] ?? day.sources[0] ?? null,
    };
  }
  return null;
}
