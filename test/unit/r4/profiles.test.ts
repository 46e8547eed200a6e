import { describe, expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';

const validator = loadValidator({ profiles: ['vital-signs', 'us-core-lab'] });
const rulesOf = (resource: unknown): string[] => {
  const rules = validator.validate(resource).map((issue) => issue.rule);
  expect(validator.isValid(resource)).toBe(rules.length === 0);
  return rules;
};

const LOINC = 'http://loinc.org';
const category = (code: string) => [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code }] },
];
const loinc = (...codes: readonly string[]) => ({ coding: codes.map((code) => ({ system: LOINC, code })) });
const amount = (code: string, value = 1) => ({ value, unit: code, system: 'http://unitsofmeasure.org', code });
const vital = (codes: readonly string[], more: Record<string, unknown> = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: category('vital-signs'),
  code: loinc(...codes),
  subject: { reference: 'Patient/1' },
  effectiveDateTime: '2026-11-14',
  ...more,
});
const pressure = (code: string, unit = 'mm[Hg]') => ({ code: loinc(code), valueQuantity: amount(unit, 120) });

describe('vital signs, imposed by LOINC code', () => {
  test.each([
    ['heart rate', vital(['8867-4'], { valueQuantity: amount('/min') })],
    ['resting heart rate beside the fixed code', vital(['40443-4', '8867-4'], { valueQuantity: amount('/min') })],
    ['pulse oximetry', vital(['59408-5', '2708-6'], { valueQuantity: amount('%') })],
    ['weight in pounds', vital(['29463-7'], { valueQuantity: amount('[lb_av]') })],
    ['height that was not measured', vital(['8302-2'], { dataAbsentReason: { text: 'refused' } })],
    ['blood pressure', vital(['85354-9'], { component: [pressure('8480-6'), pressure('8462-4')] })],
    ['panel', vital(['85353-1'], { hasMember: [{ reference: 'Observation/1' }] })],
    [
      'mean heart rate, which no profile claims',
      { ...vital(['103205-1'], { valueQuantity: amount('x:y') }), valueQuantity: { value: 1 } },
    ],
  ])('%s passes', (_, resource) => {
    expect(rulesOf(resource)).toEqual([]);
  });

  test.each([
    ['resting heart rate alone', vital(['40443-4'], { valueQuantity: amount('/min') }), ['vs-code']],
    [
      'another category',
      vital(['8867-4'], { category: category('activity'), valueQuantity: amount('/min') }),
      ['vs-category'],
    ],
    [
      'no subject',
      { ...vital(['8867-4'], { valueQuantity: amount('/min') }), subject: undefined },
      ['vs-subject', 'shape'],
    ],
    ['no time', omit(vital(['8867-4'], { valueQuantity: amount('/min') }), 'effectiveDateTime'), ['vs-effective']],
    ['time to the month', vital(['8867-4'], { effectiveDateTime: '2026-11', valueQuantity: amount('/min') }), ['vs-1']],
    ['height in metres', vital(['8302-2'], { valueQuantity: amount('m') }), ['vs-unit']],
    [
      'no unit text',
      vital(['8302-2'], { valueQuantity: { value: 1, system: 'http://unitsofmeasure.org', code: 'cm' } }),
      ['vs-unit'],
    ],
    ['a text for a value', vital(['8302-2'], { valueString: 'tall' }), ['vs-value']],
    ['nothing at all', vital(['8302-2']), ['vs-2', 'vs-value']],
    [
      'systolic alone',
      vital(['8480-6'], { valueQuantity: amount('mm[Hg]') }),
      ['vs-code', 'vs-component', 'vs-component'],
    ],
    [
      'diastolic twice',
      vital(['85354-9'], { component: [pressure('8480-6'), pressure('8462-4'), pressure('8462-4')] }),
      ['vs-component'],
    ],
    [
      'pressure in another unit',
      vital(['85354-9'], { component: [pressure('8480-6', 'kPa'), pressure('8462-4')] }),
      ['vs-unit'],
    ],
    [
      'a component without value',
      vital(['85354-9'], { component: [pressure('8480-6'), pressure('8462-4'), { code: { text: 'x' } }] }),
      ['vs-3'],
    ],
    ['a panel without members', vital(['85353-1'], { component: [pressure('8480-6')] }), ['vs-member']],
  ])('%s fails', (_, resource, rules) => {
    expect(rulesOf(resource).sort()).toEqual([...rules].sort());
  });

  test('without the option nothing is imposed', () => {
    expect(loadValidator().validate(vital(['8302-2']))).toEqual([]);
  });

  test('resources inside a bundle are judged too, with their place', () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        {
          fullUrl: 'urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000001',
          resource: vital(['8302-2'], { valueQuantity: amount('m') }),
        },
      ],
    };
    expect(validator.validate(bundle).map((i) => [i.rule, i.expression])).toEqual([
      ['vs-unit', 'Bundle.entry[0].resource.value'],
    ]);
  });
});

function omit(from: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
}

describe('US Core laboratory minimum', () => {
  const result = {
    resourceType: 'Observation',
    status: 'final',
    category: category('laboratory'),
    code: loinc('2345-7'),
    subject: { reference: 'Patient/1' },
    valueQuantity: amount('mg/dL'),
  };
  const report = {
    resourceType: 'DiagnosticReport',
    status: 'final',
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'LAB' }] }],
    code: { text: 'x' },
    subject: { reference: 'Patient/1' },
    effectiveDateTime: '2026-11-14',
    issued: '2026-11-14T00:00:00Z',
  };

  test.each([
    result,
    report,
    { ...omit(report, 'issued'), status: 'registered' },
    { ...omit(result, 'valueQuantity'), dataAbsentReason: { text: 'x' } },
  ])('passes %#', (resource) => {
    expect(rulesOf(resource)).toEqual([]);
  });

  test.each([
    [omit(result, 'subject'), 'lab-subject'],
    [omit(result, 'valueQuantity'), 'lab-value'],
    [{ ...result, category: [...result.category, ...result.category] }, 'lab-category'],
    [omit(report, 'subject'), 'lab-subject'],
    [omit(report, 'effectiveDateTime'), 'lab-effective'],
    [omit(report, 'issued'), 'lab-issued'],
    [{ ...report, category: [...report.category, ...report.category] }, 'lab-category'],
  ])('fails %#', (resource, rule) => {
    expect(rulesOf(resource)).toEqual([rule]);
  });
});
