import { describe, expect, test } from '@jest/globals';
import { standardMappings } from '../../support/standard-mappings.ts';
import {
  aClinicalReady,
  aClinicalReadyOf,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  type Json,
  type Metric,
} from '../../support/payloads/index.ts';
import type { AnyResource } from '../../../src/payloads/index.ts';
import { codesOf, danglingIn, everything, nameOf, observationsOf, translated } from '../../support/translated.ts';
import { makeLedger, problemsOf, settingOf } from '../../support/translate-steps.ts';
import { aBareReport, aLabBundleOf, labTest } from './lab-builders.ts';

const DEVICES = {
  device_source_data_array: [
    { device_type_string: 'scale', manufacturer_string: 'Example', model_string: 'M1', medical_grade_bool: true },
  ],
};
const TESTS = [
  labTest(
    'Glucose',
    { value: '92', unit: 'mg/dL' },
    {
      interpretation: [{ text: 'Normal' }, { text: 'Low' }],
      referenceRange: [{ low: { value: 70, unit: 'mg/dL' } }, { text: 'of old people' }],
    },
  ),
  labTest('Nitrite, urine', { text: 'Negative' }),
];
const PRESSURE = ['blood_pressure_systolic', 'blood_pressure_diastolic'].map((code) => ({
  code,
  value: '100',
  unit: 'mmHg',
  ucum: 'mm[Hg]',
}));
const PAYLOADS: Readonly<Record<string, Json>> = {
  clinical_ready: aClinicalReady(),
  'clinical_ready with a device': aClinicalReady({ fields: DEVICES }),
  'clinical_ready with two devices': aClinicalReady({
    fields: { device_source_data_array: [{ model_string: 'A' }, { model_string: 'B' }] },
  }),
  'blood pressure': aClinicalReadyOf([...PRESSURE, ...PRESSURE.map((one) => ({ ...one, context: 'daily_average' }))], {
    fields: DEVICES,
  }),
  'half a blood pressure': aClinicalReadyOf(PRESSURE.slice(0, 1)),
  'lab Bundle': aLabResult({ resource: aLabBundleOf(TESTS) }),
  'bare lab report': aLabResult({ resource: aBareReport(TESTS) }),
  alert_event: anAlertEvent({ fields: DEVICES }),
  alert_summary: anAlertSummary(),
  'alert_summary of nothing': anAlertSummary({ restingHeartRate: null }),
  steps_event: aStepsEvent({ fields: DEVICES }),
  user_profile: aUserProfile(),
};
const DIALECTS = [...standardMappings().dialects.values()];
const list = (value: unknown): Json[] => (value ?? []) as Json[];

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))('%s', (name, dialect) => {
  describe.each(Object.entries(PAYLOADS))('%s', (_, payload) => {
    const translation = translated(payload, { dialect: name });
    const all = translation.wanted.map(({ resource }) => resource);
    const observations = observationsOf(translation);

    test('is valid, and nothing refers to what is not there', () => {
      expect(problemsOf(translation)).toEqual([]);
      expect(danglingIn(translation)).toEqual([]);
    });

    test('sends only types and categories that it takes', () => {
      if (dialect.types !== null)
        expect(dialect.types).toEqual(expect.arrayContaining(all.map((one) => one.resourceType)));
      expect(translation.provenance === null).toBe(dialect.provenance === 'none' || all.length === 0);
      for (const one of observations) {
        const codes = list(one['category']).map((category) => codesOf(category)[0]);
        if (dialect.categories !== null) {
          expect(codes).toHaveLength(1);
          expect(dialect.categories).toEqual(expect.arrayContaining(codes));
        }
      }
    });

    test('has only elements that it takes', () => {
      for (const one of observations) {
        if (dialect.effective !== 'as-given') expect(one).not.toHaveProperty('effectivePeriod');
        if (dialect.interpretationsMax !== null)
          expect(list(one['interpretation']).length).toBeLessThanOrEqual(dialect.interpretationsMax);
        if (dialect.performer === 'none') expect(one).not.toHaveProperty('performer');
        if (dialect.extensions === 'drop') expect(JSON.stringify(one)).not.toMatch(/"(modifierE|e)xtension"/);
        if (dialect.device === 'note') expect(one).not.toHaveProperty('device');
        if (dialect.preliminary === 'as-final') expect(one['status']).not.toBe('preliminary');
        if (dialect.componentsOf !== null && one['component'] !== undefined)
          expect(codesOf(one['code']).some((code) => dialect.componentsOf?.includes(code))).toBe(true);
        if (dialect.referenceRange === 'normal-only') {
          expect(list(one['referenceRange']).flatMap(({ type }) => (type === undefined ? [] : codesOf(type)))).toEqual(
            [],
          );
          expect(JSON.stringify(one['referenceRange'] ?? [])).not.toContain('monitoring threshold');
        }
        expect(nameOf(one)).toMatch(/^[0-9a-f]{64}$/);
      }
      if (dialect.device !== 'resource') expect(all.some((one) => one.resourceType === 'Device')).toBe(false);
    });

    test('has the scopes of the document, whatever of it the EHR takes', () => {
      const whole = translated(payload, { dialect: 'default' }).scopes;
      expect(new Set(translation.scopes.map((one) => JSON.stringify(one)))).toEqual(
        new Set(whole.map((one) => JSON.stringify(one))),
      );
    });

    test('refers only backwards: what is referred to comes first', () => {
      const seen = new Set([translation.patient.reference]);
      for (const { reference, resource } of everything(translation).slice(1)) {
        for (const [used] of JSON.stringify(resource).matchAll(/urn:uuid:[0-9a-f-]{36}/g)) expect(seen).toContain(used);
        seen.add(reference);
      }
    });
  });

  test('amends and withdraws with the statuses that it takes', () => {
    const setting = settingOf(standardMappings(), { dialect: name });
    const ledger = makeLedger();
    const METRICS: Metric[] = [
      ...PRESSURE,
      { code: 'weight' },
      { code: 'height', value: '178', unit: 'cm' },
      { code: 'bmi', value: '22', unit: 'kg/m2' },
    ];
    const step = (metrics: readonly Metric[], version: number): { change: string; resource: AnyResource }[] =>
      ledger(translated(aClinicalReadyOf(metrics, { documentVersion: version }), { dialect: name }), setting, version)
        .changes;
    step(METRICS, 1);
    const changes = step([...PRESSURE, { code: 'weight', value: '71' }, ...METRICS.slice(3, 4)], 2);
    expect(
      changes.flatMap(({ change, resource }) => (change === 'keep' ? [] : [[change, resource['status']]])).sort(),
    ).toEqual([
      ['retract', dialect.retraction],
      ['update', dialect.amendedStatus],
    ]);
  });
});

test('what an EHR does not take of a summary is left out, and the rest stays whole', () => {
  const codes = (dialect: string): string[] =>
    observationsOf(translated(aClinicalReady(), { dialect })).map((one) => codesOf(one['code'])[0] ?? '');
  expect(codes('epic').sort()).toEqual([
    '103205-1',
    '29463-7',
    '39156-5',
    '40443-4',
    '59408-5',
    '59408-5',
    '8302-2',
    '9279-1',
  ]);
});
