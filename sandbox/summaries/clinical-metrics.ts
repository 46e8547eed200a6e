import type { DaySummary } from '../population/index.ts';

export type SummaryGroup = 'body' | 'physical' | 'sleep';
export const SUMMARY_GROUPS = ['body', 'physical', 'sleep'] as const satisfies readonly SummaryGroup[];

/**
 * A metric that has a service code (section 2.3). What has none, such as heart rate variability, is in no clinical
 * document.
 */
export interface ClinicalMetric {
  readonly metric: string;
  readonly code: string;
  readonly display: string;
  readonly unit: string;
  readonly ucum: string;
  readonly context?: 'daily_average';
}

const AVERAGE = { context: 'daily_average' } as const;
const SPO2 = { metric: 'spo2', code: 'spo2', display: 'SpO2', unit: '%', ucum: '%', ...AVERAGE } as const;
const seconds = (metric: string, code: string, display: string): ClinicalMetric => ({
  metric,
  code,
  display,
  unit: 's',
  ucum: 's',
});

export const CLINICAL_METRICS: Readonly<Record<SummaryGroup, readonly ClinicalMetric[]>> = {
  body: [
    { metric: 'weightKg', code: 'weight', display: 'Body weight', unit: 'kg', ucum: 'kg' },
    { metric: 'heightCm', code: 'height', display: 'Body height', unit: 'cm', ucum: 'cm' },
    { metric: 'bmi', code: 'bmi', display: 'Body mass index', unit: 'kg/m2', ucum: 'kg/m2' },
    {
      metric: 'systolic',
      code: 'blood_pressure_systolic',
      display: 'Systolic blood pressure',
      unit: 'mmHg',
      ucum: 'mm[Hg]',
    },
    {
      metric: 'diastolic',
      code: 'blood_pressure_diastolic',
      display: 'Diastolic blood pressure',
      unit: 'mmHg',
      ucum: 'mm[Hg]',
    },
    {
      metric: 'restingHeartRate',
      code: 'resting_heart_rate',
      display: 'Resting heart rate',
      unit: 'bpm',
      ucum: '/min',
    },
    SPO2,
    { metric: 'caloricIntakeKcal', code: 'caloric_intake', display: 'Caloric intake', unit: 'kcal', ucum: 'kcal' },
  ],
  physical: [
    { metric: 'steps', code: 'steps', display: 'Steps', unit: 'steps', ucum: '{steps}' },
    { metric: 'distanceM', code: 'distance', display: 'Distance', unit: 'm', ucum: 'm' },
    {
      metric: 'averageHeartRate',
      code: 'average_heart_rate',
      display: 'Average heart rate',
      unit: 'bpm',
      ucum: '/min',
      ...AVERAGE,
    },
    { metric: 'vo2max', code: 'vo2max', display: 'VO2max', unit: 'mL/kg/min', ucum: 'mL/kg/min' },
    SPO2,
  ],
  sleep: [
    seconds('durationS', 'sleep_duration', 'Sleep duration'),
    seconds('remS', 'sleep_rem', 'REM sleep'),
    seconds('deepS', 'sleep_deep', 'Deep sleep'),
    seconds('lightS', 'sleep_light', 'Light sleep'),
    seconds('awakeS', 'sleep_awake', 'Awake'),
    {
      metric: 'breathingRate',
      code: 'breathing_rate',
      display: 'Breathing rate',
      unit: 'breaths/min',
      ucum: '/min',
      ...AVERAGE,
    },
    SPO2,
    seconds('latencyS', 'sleep_latency', 'Time to fall asleep'),
  ],
};

/** Section 2.3: body metrics, physical data, sleep data. */
export const CATEGORY_OF: Readonly<Record<SummaryGroup, string>> = {
  body: 'vital-signs',
  physical: 'activity',
  sleep: 'survey',
};

export interface ClinicalValue extends ClinicalMetric {
  readonly value: number;
  readonly source: string;
}

/** What a summary has to say clinically, in the order of the table. */
export function clinicalValuesOf(summary: DaySummary, group: SummaryGroup): readonly ClinicalValue[] {
  const readings = summary[group] as unknown as Readonly<Record<string, unknown>> | null;
  return CLINICAL_METRICS[group].flatMap((one): ClinicalValue[] => {
    const value = readings?.[one.metric];
    return typeof value === 'number'
      ? [{ ...one, value, source: summary.sourceOf[`${group}.${one.metric}`] ?? '' }]
      : [];
  });
}
