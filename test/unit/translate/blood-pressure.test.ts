import { describe, expect, test } from '@jest/globals';
import { aClinicalReadyOf, DAY, type Metric } from '../../support/payloads/index.ts';
import { bytesOf, codesOf, nameOf, observationsOf, translated } from '../../support/translated.ts';
import { makeLedger, problemsOf, settingOf } from '../../support/translate-steps.ts';
import { standardMappings } from '../../support/standard-mappings.ts';

const MORNING = { start: '2026-11-14T07:00:00+01:00', end: '2026-11-14T07:00:00+01:00' };
const EVENING = { start: '2026-11-14T19:00:00+01:00', end: '2026-11-14T19:00:00+01:00' };
type Side = (value: string, when?: { start: string; end: string }, context?: string) => Metric;
const side =
  (code: string): Side =>
  (value, when = MORNING, context?: string) => ({
    code,
    value,
    unit: 'mmHg',
    ucum: 'mm[Hg]',
    ...when,
    ...(context === undefined ? {} : { context }),
  });
const systolic = side('blood_pressure_systolic');
const diastolic = side('blood_pressure_diastolic');

interface Component {
  readonly code: unknown;
  readonly valueQuantity?: { readonly value: unknown; readonly code: string };
  readonly dataAbsentReason?: unknown;
}
/** The components as `code=value`, or `code?` where the value is absent. */
const shown = (observation: unknown): string[] =>
  ((observation as { component?: Component[] }).component ?? []).map(({ code, valueQuantity, dataAbsentReason }) =>
    valueQuantity === undefined
      ? `${codesOf(code)[0] ?? ''}?${codesOf(dataAbsentReason).join()}`
      : `${codesOf(code)[0] ?? ''}=${JSON.stringify(valueQuantity.value)} ${valueQuantity.code}`,
  );
const panels = (metrics: readonly Metric[]) => {
  const translation = translated(aClinicalReadyOf(metrics));
  expect(problemsOf(translation)).toEqual([]);
  return observationsOf(translation).map((one) => ({ code: codesOf(one['code'])[0], components: shown(one), one }));
};

describe('blood pressure', () => {
  test('both sides of one reading become one panel without a value of its own, systolic first', () => {
    const [panel, ...others] = panels([diastolic('80'), systolic('120.0')]);
    expect(others).toEqual([]);
    expect(panel).toMatchObject({ code: '85354-9', components: ['8480-6=120.0 mm[Hg]', '8462-4=80 mm[Hg]'] });
    expect(panel?.one).not.toHaveProperty('valueQuantity');
    expect(panel?.one).toMatchObject({
      component: [
        {
          code: {
            coding: [{ code: '8480-6' }, { system: 'urn:example:health-data-service:codes', code: 'blood_pressure_systolic' }],
          },
        },
        {
          code: {
            coding: [{ code: '8462-4' }, { system: 'urn:example:health-data-service:codes', code: 'blood_pressure_diastolic' }],
          },
        },
      ],
    });
  });

  test('a daily average has codes of its own, in the panel and in both components', () => {
    expect(panels([systolic('118', DAY, 'daily_average'), diastolic('77', DAY, 'daily_average')])).toMatchObject([
      { code: '96607-7', components: ['96608-5=118 mm[Hg]', '96609-3=77 mm[Hg]'] },
    ]);
  });

  test.each([
    ['diastolic', [systolic('120')], ['8480-6=120 mm[Hg]', '8462-4?unknown']],
    ['systolic', [diastolic('80')], ['8480-6?unknown', '8462-4=80 mm[Hg]']],
  ])('a missing %s side is absent for a reason, never zero, and the panel stays valid', (_, metrics, components) => {
    expect(panels(metrics)).toMatchObject([{ code: '85354-9', components }]);
  });

  test('readings of different times are different panels', () => {
    expect(panels([systolic('120'), diastolic('80'), systolic('135', EVENING), diastolic('85', EVENING)])).toHaveLength(2);
    expect(panels([systolic('120'), diastolic('85', EVENING)]).map(({ components }) => components.length)).toEqual([2, 2]);
  });

  test('a reading and an average of the same time are two panels', () => {
    const found = panels([
      systolic('120', DAY),
      diastolic('80', DAY),
      systolic('118', DAY, 'daily_average'),
      diastolic('77', DAY, 'daily_average'),
    ]);
    expect(found.map(({ code }) => code).sort()).toEqual(['85354-9', '96607-7']);
    expect(new Set(found.map(({ one }) => nameOf(one))).size).toBe(2);
  });

  test('times that are written in other offsets are one reading', () => {
    const utc = { start: '2026-11-14T06:00:00Z', end: '2026-11-14T06:00:00Z' };
    expect(panels([systolic('120'), diastolic('80', utc)])).toHaveLength(1);
  });

  test('two systolic values of one reading that disagree wait for a person, as one panel, in whatever order they came', () => {
    const both = [systolic('120'), systolic('140'), diastolic('80')];
    const [one, other] = [translated(aClinicalReadyOf(both)), translated(aClinicalReadyOf(both, { order: [0, 2, 1, 3] }))];
    expect(observationsOf(one)).toHaveLength(1);
    expect(one.findings.map(({ code }) => code)).toContain('measurement.twice');
    expect(one.trouble).toBe('implausible');
    expect(bytesOf(other)).toBe(bytesOf(one));
    expect(problemsOf(one)).toEqual([]);
  });

  test('the same value twice is one value', () => {
    expect(panels([systolic('120'), systolic('120'), diastolic('80')])).toMatchObject([
      { components: ['8480-6=120 mm[Hg]', '8462-4=80 mm[Hg]'] },
    ]);
  });

  test('a side that comes later, or goes, changes the one panel and never makes a second', () => {
    const setting = settingOf(standardMappings());
    const ledger = makeLedger();
    const step = (metrics: readonly Metric[], version: number) =>
      ledger(translated(aClinicalReadyOf(metrics, { documentVersion: version })), setting, version).changes.map(
        ({ change }) => change,
      );
    expect(step([systolic('120')], 1)).toEqual(['create']);
    expect(step([systolic('120'), diastolic('80')], 2)).toEqual(['update']);
    expect(step([diastolic('80')], 3)).toEqual(['update']);
  });

  test('in kPa is converted to mm[Hg]', () => {
    expect(panels([{ ...systolic('16'), unit: 'kPa', ucum: 'kPa' }, diastolic('80')])).toMatchObject([
      { components: ['8480-6=120 mm[Hg]', '8462-4=80 mm[Hg]'] },
    ]);
  });

  test('of which one side is not believable waits for a person', () => {
    expect(translated(aClinicalReadyOf([systolic('1200'), diastolic('80')])).trouble).toBe('implausible');
  });

  test('is one panel for each category that it comes with', () => {
    const active = (metric: Metric): Metric => ({ ...metric, category: 'activity' });
    expect(panels([systolic('120'), diastolic('80'), active(systolic('125')), active(diastolic('82'))])).toHaveLength(2);
  });
});
