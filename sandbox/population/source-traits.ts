import type { BodyReadings, PhysicalReadings, Sample, SleepReadings } from './readings.ts';

export type BodyMetric = keyof BodyReadings;
export type PhysicalMetric = keyof PhysicalReadings;
/** Those that one source may have and another not; the stages of a night come together. */
export type SleepMetric = Extract<keyof SleepReadings, 'breathingRate' | 'spo2' | 'latencyS'>;

/** What a data source measures, and how. */
export interface SourceTraits {
  readonly kind: 'api' | 'mobile';
  readonly body: readonly BodyMetric[];
  readonly physical: readonly PhysicalMetric[];
  /** Null: knows nothing of sleep. */
  readonly sleep: readonly SleepMetric[] | null;
  readonly samples: readonly Sample['kind'][];
  /** Of the kinds that are asked for steps every hour (specification, section 1). */
  readonly isPolledForSteps: boolean;
  /** How many days in a hundred nothing of it comes: not worn, not stood upon. */
  readonly idlePercent: number;
}

const RECOVERY = ['restingHeartRate', 'hrvMs', 'spo2'] as const;
const HEART = ['averageHeartRate', 'maxHeartRate', 'minHeartRate'] as const;
const EFFORT = ['activeSeconds', 'activeKcal'] as const;
const ALL_SLEEP = ['breathingRate', 'spo2', 'latencyS'] as const;
const AGGREGATED_BODY = [
  'weightKg',
  'heightCm',
  'bmi',
  'systolic',
  'diastolic',
  ...RECOVERY,
  'caloricIntakeKcal',
] as const;
const AGGREGATED_PHYSICAL = ['steps', 'distanceM', ...HEART, 'vo2max', 'spo2', ...EFFORT] as const;
const AGGREGATED_SAMPLES = ['spo2', 'heart_rate', 'hrv', 'blood_pressure', 'blood_glucose', 'temperature'] as const;

const mobile = (samples: readonly Sample['kind'][]): SourceTraits => ({
  kind: 'mobile',
  body: AGGREGATED_BODY,
  physical: AGGREGATED_PHYSICAL,
  sleep: ALL_SLEEP,
  samples,
  isPolledForSteps: false,
  idlePercent: 2,
});

export const SOURCE_TRAITS = {
  StrapWearable: {
    kind: 'api',
    body: ['weightKg', 'heightCm', ...RECOVERY],
    physical: ['steps', ...HEART, ...EFFORT],
    sleep: ALL_SLEEP,
    samples: ['heart_rate', 'hrv'],
    isPolledForSteps: true,
    idlePercent: 4,
  },
  RingWearable: {
    kind: 'api',
    body: RECOVERY,
    physical: ['steps', 'distanceM', ...EFFORT],
    sleep: ALL_SLEEP,
    samples: ['spo2', 'heart_rate', 'hrv'],
    isPolledForSteps: true,
    idlePercent: 4,
  },
  GpsWatch: {
    kind: 'api',
    body: ['restingHeartRate', 'hrvMs'],
    physical: AGGREGATED_PHYSICAL,
    sleep: ['breathingRate', 'spo2'],
    samples: ['spo2', 'heart_rate'],
    isPolledForSteps: true,
    idlePercent: 6,
  },
  FitnessBand: {
    kind: 'api',
    body: ['weightKg', ...RECOVERY, 'caloricIntakeKcal'],
    physical: ['steps', 'distanceM', ...HEART, 'vo2max', ...EFFORT],
    sleep: ALL_SLEEP,
    samples: ['spo2', 'heart_rate', 'hrv'],
    isPolledForSteps: true,
    idlePercent: 7,
  },
  ConnectedScale: {
    kind: 'api',
    body: ['weightKg', 'heightCm', 'bmi', 'systolic', 'diastolic'],
    physical: ['steps', 'distanceM'],
    sleep: null,
    samples: ['blood_pressure', 'temperature', 'spo2', 'ecg'],
    isPolledForSteps: true,
    idlePercent: 22,
  },
  SportsWatch: {
    kind: 'api',
    body: ['restingHeartRate', 'hrvMs'],
    physical: AGGREGATED_PHYSICAL,
    sleep: ALL_SLEEP,
    samples: ['heart_rate', 'hrv'],
    isPolledForSteps: true,
    idlePercent: 6,
  },
  GlucoseMonitor: {
    kind: 'api',
    body: [],
    physical: [],
    sleep: null,
    samples: ['blood_glucose'],
    isPolledForSteps: false,
    idlePercent: 3,
  },
  IosHealth: mobile([...AGGREGATED_SAMPLES, 'ecg']),
  AndroidHealth: mobile(AGGREGATED_SAMPLES),
  PhoneMakerHealth: mobile(AGGREGATED_SAMPLES),
} as const satisfies Readonly<Record<string, SourceTraits>>;

export type DataSourceName = keyof typeof SOURCE_TRAITS;

export const traitsOfSource = (name: string): SourceTraits | null =>
  Object.hasOwn(SOURCE_TRAITS, name) ? SOURCE_TRAITS[name as DataSourceName] : null;
