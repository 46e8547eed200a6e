import { describe, expect, test } from '@jest/globals';
import { aClinicalReadyOf, DAY, partAt, type Json, type Metric } from '../../support/payloads/index.ts';
import { bytesOf, codesOf, nameOf, observationsOf, observationWith, translated } from '../../support/translated.ts';
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

describe('a blood pressure that comes as one entry', () => {
  const LOINC = 'http://loinc.org';
  const sideOf = (code: string, value: number, unit = 'mm[Hg]') => ({
    code: { coding: [{ system: LOINC, code }] },
    valueQuantity: { value, unit, system: 'http://unitsofmeasure.org', code: unit },
  });
  const BOTH = [sideOf('8480-6', 120), sideOf('8462-4', 80)];
  const entryOf = (code: object, component: readonly object[], more: object = {}) => {
    const document = aClinicalReadyOf([systolic('120'), { code: 'weight', value: '70', unit: 'kg', ...MORNING }]);
    const entry = partAt(document, 'clinical_ready.clinical_ready_data.entry.1') as { resource: Json };
    const { valueQuantity: _value, ...resource } = entry.resource;
    entry.resource = { ...resource, code: { coding: [code] }, component, ...more };
    return document;
  };
  const PANEL = { system: LOINC, code: '85354-9' };
  const OWN = { system: 'urn:example:health-data-service:codes', code: 'blood_pressure' };
  const DAILY = { system: LOINC, code: '96607-7' };

  test.each([
    ['in LOINC', PANEL],
    ["in the source's own code", OWN],
  ])('%s is the panel that its sides would make as entries', (_, code) => {
    const translation = translated(entryOf(code, BOTH));
    expect(problemsOf(translation)).toEqual([]);
    const panel = observationWith(translation, '85354-9');
    expect(shown(panel)).toEqual(['8480-6=120 mm[Hg]', '8462-4=80 mm[Hg]']);
    const apart = translated(aClinicalReadyOf([systolic('120'), diastolic('80')]));
    expect(nameOf(panel)).toBe(nameOf(observationWith(apart, '85354-9')));
  });

  test.each([
    ['with a side that nobody has mapped', PANEL, [...BOTH, sideOf('8478-0', 93)], 'code.unmapped'],
    ['with a side of something else', PANEL, [...BOTH, sideOf('8867-4', 60, '/min')], 'values.contradict'],
    ['with one side twice', PANEL, [...BOTH, sideOf('8480-6', 121)], 'values.contradict'],
    ['that says it is another panel', DAILY, BOTH, 'values.contradict'],
  ])('%s waits as a whole, and what stands in the chart does not count as dropped', (_, code, component, finding) => {
    const { wanted, leftOut, findings } = translated(entryOf(code, component), { unmapped: 'leave-out' });
    expect(wanted.filter(({ resource }) => resource['component'] !== undefined)).toEqual([]);
    expect(findings.map((one) => one.code)).toContain(finding);
    const standing = observationWith(translated(entryOf(PANEL, BOTH)), '85354-9');
    expect(leftOut.map(({ name }) => name)).toEqual([nameOf(standing)]);
  });

  test('an entry with components and a value of its own is none', () => {
    const document = entryOf(PANEL, BOTH, { valueQuantity: { value: 1, unit: 'mmHg' } });
    expect(translated(document, { unmapped: 'leave-out' }).leftOut).toHaveLength(1);
  });
});

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
            coding: [
              { code: '8480-6' },
              { system: 'urn:example:health-data-service:codes', code: 'blood_pressure_systolic' },
            ],
          },
        },
        {
          code: {
            coding: [
              { code: '8462-4' },
              { system: 'urn:example:health-data-service:codes', code: 'blood_pressure_diastolic' },
            ],
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
    expect(panels([systolic('120'), diastolic('80'), systolic('135', EVENING), diastolic('85', EVENING)])).toHaveLength(
      2,
    );
    expect(panels([systolic('120'), diastolic('85', EVENING)]).map(({ components }) => components.length)).toEqual([
      2, 2,
    ]);
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
    const [one, other] = [
      translated(aClinicalReadyOf(both)),
      translated(aClinicalReadyOf(both, { order: [0, 2, 1, 3] })),
    ];
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
    expect(panels([systolic('120'), diastolic('80'), active(systolic('125')), active(diastolic('82'))])).toHaveLength(
      2,
    );
  });
});
