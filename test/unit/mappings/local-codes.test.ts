import { expect, test } from '@jest/globals';
import { shippedMappings } from '../../support/mapping-files.ts';

const { local } = shippedMappings();

/** Specification, section 2.7: the metric fields of a user profile. */
const FIELDS = [
  'daily_steps_avg_int',
  'active_avg_minutes_int',
  'activity_calories_avg_kcal_float',
  'activity_frequency_int',
  'sleep_duration_avg_hours_float',
  'sleep_efficiency_1_100_avg_int',
  'time_in_bed_avg_hours_float',
  'hr_resting_avg_int',
  'hrv_avg_float',
  'hrv_type_string',
  'active_duration_avg_seconds_float',
  'hr_max_avg_int',
  'hr_min_avg_int',
  'hrv_baseline_delta_float',
  'sleep_debt_hours_float',
];

const codeOf = (field: string): string => field.replace(/_(?:int|float|string)$/, '').replaceAll('_', '-');

test.each(FIELDS)('the metric %s has a code: its name without the type', (field) => {
  expect(local(codeOf(field)).display).toMatch(/\w/);
});

test.each([
  'sleep-consistency-score',
  ...['start', 'end'].flatMap((side) => [
    `sleep-consistency-${side}-variability`,
    `sleep-consistency-${side}-typical-interval`,
  ]),
  ...['activity', 'sleep', 'cardio', 'recovery', 'body'].map((domain) => `health-score-${domain}`),
  ...['optimal', 'good', 'moderate', 'poor', 'critical'].map((level) => `level-${level}`),
  ...['overall-health-score', 'health-level', 'confidence', 'health-monitoring-daily-alerts', 'alert', 'unmapped'],
  ...['baseline-value', 'deviation-below-percent', 'deviation-above-percent'],
  ...['medical-grade', 'machine-extracted', 'auto-detected', 'under-physical-activity'],
  ...['hrv', 'hrv-rmssd', 'sleep-efficiency'],
])('%s is a local code with a display', (code) => {
  expect(local(code)).toMatchObject({ system: 'urn:chartgate:codes', code });
  expect(local(code).display).toMatch(/\w/);
});
