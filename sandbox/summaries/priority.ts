/*
 * Data Cleaning, by metric: which sources are believed before which others, and which values nobody believes. A source
 * that is not named comes last, in the order of its name.
 */

const SCALE_FIRST = [
  'ConnectedScale',
  'IosHealth',
  'AndroidHealth',
  'PhoneMakerHealth',
  'FitnessBand',
  'StrapWearable',
] as const;
const RECOVERY = [
  'RingWearable',
  'StrapWearable',
  'SportsWatch',
  'GpsWatch',
  'FitnessBand',
  'IosHealth',
  'AndroidHealth',
  'PhoneMakerHealth',
] as const;
const MOVEMENT = [
  'GpsWatch',
  'SportsWatch',
  'FitnessBand',
  'StrapWearable',
  'RingWearable',
  'IosHealth',
  'AndroidHealth',
  'PhoneMakerHealth',
  'ConnectedScale',
] as const;
const FOOD = ['FitnessBand', 'IosHealth', 'AndroidHealth', 'PhoneMakerHealth'] as const;

export interface MetricRule {
  readonly priority: readonly string[];
  /** Outside of these the device was wrong, not the person remarkable. */
  readonly low: number;
  readonly high: number;
}

const rule = (priority: readonly string[], low: number, high: number): MetricRule => ({ priority, low, high });

export const BODY_RULES = {
  weightKg: rule(SCALE_FIRST, 25, 300),
  heightCm: rule(SCALE_FIRST, 100, 230),
  bmi: rule(SCALE_FIRST, 12, 70),
  systolic: rule(SCALE_FIRST, 70, 220),
  diastolic: rule(SCALE_FIRST, 35, 130),
  restingHeartRate: rule(RECOVERY, 30, 120),
  hrvMs: rule(RECOVERY, 5, 300),
  spo2: rule(RECOVERY, 70, 100),
  caloricIntakeKcal: rule(FOOD, 300, 8_000),
} as const;

export const PHYSICAL_RULES = {
  steps: rule(MOVEMENT, 0, 60_000),
  distanceM: rule(MOVEMENT, 0, 150_000),
  averageHeartRate: rule(MOVEMENT, 35, 180),
  maxHeartRate: rule(MOVEMENT, 60, 220),
  minHeartRate: rule(MOVEMENT, 28, 120),
  vo2max: rule(MOVEMENT, 12, 85),
  spo2: rule(RECOVERY, 70, 100),
  activeSeconds: rule(MOVEMENT, 0, 64_800),
  activeKcal: rule(MOVEMENT, 0, 8_000),
} as const;

/** The night itself: its times and stages come from one source, or they would not add up. */
export const NIGHT_RULE = rule(RECOVERY, 2 * 3_600, 14 * 3_600);

export const SLEEP_RULES = {
  breathingRate: rule(RECOVERY, 8, 40),
  spo2: rule(RECOVERY, 70, 100),
  latencyS: rule(RECOVERY, 0, 10_800),
} as const;

export const isPlausible = (value: number, { low, high }: MetricRule): boolean => value >= low && value <= high;

export function rankOf(dataSource: string, { priority }: MetricRule): number {
  const rank = priority.indexOf(dataSource);
  return rank === -1 ? priority.length : rank;
}
