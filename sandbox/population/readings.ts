/*
 * What the parts of the simulation hand to each other. Times are milliseconds of simulated UTC; dates are local,
 * YYYY-MM-DD. A reading that was not made is null.
 */

import type { Hazard } from './hazards.ts';

export interface BodyReadings {
  readonly weightKg: number | null;
  readonly heightCm: number | null;
  readonly bmi: number | null;
  readonly systolic: number | null;
  readonly diastolic: number | null;
  readonly restingHeartRate: number | null;
  readonly hrvMs: number | null;
  readonly spo2: number | null;
  readonly caloricIntakeKcal: number | null;
}

export interface PhysicalReadings {
  readonly steps: number | null;
  readonly distanceM: number | null;
  readonly averageHeartRate: number | null;
  readonly maxHeartRate: number | null;
  readonly minHeartRate: number | null;
  readonly vo2max: number | null;
  readonly spo2: number | null;
  readonly activeSeconds: number | null;
  readonly activeKcal: number | null;
}

export interface SleepReadings {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly durationS: number | null;
  readonly inBedS: number | null;
  readonly remS: number | null;
  readonly deepS: number | null;
  readonly lightS: number | null;
  readonly awakeS: number | null;
  readonly breathingRate: number | null;
  readonly spo2: number | null;
  readonly latencyS: number | null;
  /** Sleep that belongs to this day is complete; a later revision may bring the rest. */
  readonly isComplete: boolean;
}

export interface Sample {
  readonly kind: 'spo2' | 'heart_rate' | 'hrv' | 'blood_pressure' | 'blood_glucose' | 'temperature' | 'ecg';
  readonly at: number;
  /** Blood pressure is systolic, then diastolic; everything else is one number. */
  readonly values: readonly number[];
}

/** Steps counted from the beginning of the local day; null where the source could not say. */
export interface HourlySteps {
  readonly at: number;
  readonly accumulated: number | null;
  /** Why the provider could not be asked in that hour. */
  readonly failure: 'timeout' | 'authentication' | 'quota' | null;
}

/**
 * What one data source knows of one local day of one person, as of `syncedAt`. A higher revision replaces the lower
 * whole.
 */
export interface SourceDay {
  readonly dataSource: string;
  readonly date: string;
  /** IANA name, of where the person was that day. */
  readonly zone: string;
  /** The local day as instants: 23, 24 or 25 hours. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly revision: number;
  readonly syncedAt: number;
  readonly body: BodyReadings | null;
  readonly physical: PhysicalReadings | null;
  readonly sleep: SleepReadings | null;
  readonly samples: readonly Sample[];
  readonly hourlySteps: readonly HourlySteps[];
}

export interface SourceDevice {
  readonly device_type_string: string;
  readonly manufacturer_string: string;
  readonly medical_grade_bool: boolean | null;
  readonly model_string: string;
  readonly source_type_string: string;
}

/** A person of the simulated world; the service knows it under a user_id per client. */
export interface Person {
  /** From 0; with the seed it decides everything about the person. */
  readonly n: number;
  readonly sex: 'female' | 'male';
  /** What is wrong with one of their devices, for ever. */
  readonly hazard: Hazard | null;
  readonly birthYear: number;
  readonly country: string;
  /** IANA name of home. */
  readonly zone: string;
  /** What it wears and owns, by data source name. */
  readonly dataSources: readonly string[];
}

/** One day of one person after Data Cleaning: one value for each metric, whichever source it came from. */
export interface DaySummary {
  readonly date: string;
  readonly zone: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly body: BodyReadings | null;
  readonly physical: PhysicalReadings | null;
  readonly sleep: SleepReadings | null;
  /** Which sources the values came from. */
  readonly sources: readonly string[];
  /** The source of each metric, by `group.metric`, such as `sleep.breathingRate`. */
  readonly sourceOf: Readonly<Record<string, string>>;
}
