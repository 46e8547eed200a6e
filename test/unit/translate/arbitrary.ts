import fc from 'fast-check';
import { aClinicalReadyOf, type Json, type Metric } from '../../support/payloads/index.ts';

/** Plausible values, the digits as they may come. */
const KINDS: readonly (readonly [
  code: string,
  category: string,
  unit: string,
  ucum: string,
  values: readonly string[],
])[] = [
  ['weight', 'vital-signs', 'kg', 'kg', ['70.10', '71', '72.0']],
  ['weight', 'vital-signs', 'lbs', '[lb_av]', ['154.5', '160']],
  ['height', 'vital-signs', 'cm', 'cm', ['178', '178.0']],
  ['bmi', 'vital-signs', 'kg/m2', 'kg/m2', ['22.50']],
  ['blood_pressure_systolic', 'vital-signs', 'mmHg', 'mm[Hg]', ['120', '121.0']],
  ['blood_pressure_diastolic', 'vital-signs', 'mmHg', 'mm[Hg]', ['80', '79']],
  ['resting_heart_rate', 'vital-signs', 'bpm', '/min', ['58', '61.5']],
  ['spo2', 'vital-signs', '%', '%', ['97.5', '95']],
  ['spo2', 'activity', '%', '%', ['96']],
  ['spo2', 'survey', '%', '%', ['94.0']],
  ['caloric_intake', 'vital-signs', 'kcal', 'kcal', ['2150']],
  ['steps', 'activity', 'steps', '{steps}', ['8421', '9.1e3']],
  ['distance', 'activity', 'm', 'm', ['6120.40']],
  ['average_heart_rate', 'activity', 'bpm', '/min', ['82']],
  ['vo2max', 'activity', 'mL/kg/min', 'mL/kg/min', ['41.2']],
  ['sleep_duration', 'survey', 's', 's', ['26100', '26100.0']],
  ['sleep_rem', 'survey', 's', 's', ['5700']],
  ['breathing_rate', 'survey', 'breaths_per_min', '/min', ['14.5']],
  ['sleep_latency', 'survey', 's', 's', ['780']],
  ['nobody_knows_it', 'vital-signs', 'kg', 'kg', ['5']],
  ['weight', 'vital-signs', 'stones of old', '{old}', ['11']],
];

/** The same instants, written in several offsets; each row's second writing is another day on another wall. */
export const TIMES = [
  ['2026-11-14T00:00:00+01:00', '2026-11-13T23:00:00Z', '2026-11-13T18:00:00-05:00', '2026-11-13T23:00:00.000Z'],
  ['2026-11-14T23:59:59+01:00', '2026-11-14T22:59:59Z', '2026-11-15T04:29:59+05:30', '2026-11-14T22:59:59.0Z'],
] as const;

const aMetric: fc.Arbitrary<Metric> = fc
  .tuple(
    fc.constantFrom(...KINDS),
    fc.option(fc.constantFrom('daily_average', 'session', 'never heard of'), { nil: undefined }),
    fc.constantFrom(
      ['2026-11-14T00:00:00+01:00', '2026-11-14T23:59:59+01:00'],
      ['2026-11-14T07:00:00+01:00', '2026-11-14T07:00:00+01:00'],
      ['2026-11-13T22:30:00Z', '2026-11-14T06:15:00Z'],
    ),
    fc.nat(2),
  )
  .map(([[code, category, unit, ucum, values], context, [start, end], n]) => ({
    code,
    category,
    unit,
    ucum,
    value: values[n % values.length] ?? '1',
    ...(context === undefined ? {} : { context }),
    start,
    end,
  }));

export const metrics = fc.array(aMetric, { minLength: 1, maxLength: 12 });

export const shuffled = (length: number): fc.Arbitrary<number[]> =>
  fc.shuffledSubarray(
    Array.from({ length }, (_, i) => i),
    { minLength: length, maxLength: length },
  );

const aDevice = fc.record({
  device_type_string: fc.constantFrom('scale', 'watch', null),
  manufacturer_string: fc.constantFrom('Example', null),
  medical_grade_bool: fc.constantFrom(true, false, null),
  model_string: fc.constantFrom('Model 1', null),
  source_type_string: fc.constantFrom('sdk', null),
});

export const aDocument: fc.Arbitrary<Json> = fc
  .tuple(metrics, fc.array(aDevice, { maxLength: 2 }))
  .map(([all, devices]) => aClinicalReadyOf(all, { fields: { device_source_data_array: devices } }));
