import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { meaningOf } from '../../../src/translate/meaning.ts';
import { parseLossless } from '../../../src/r4/index.ts';

const UCUM = 'http://unitsofmeasure.org';
const weight = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7', display: 'Body weight' }], text: 'Weight' },
  effectiveDateTime: '2026-01-01',
  valueQuantity: { value: 70, unit: 'kg', system: UCUM, code: 'kg' },
  device: { reference: 'Device/1' },
};
const said = (more: object): string | null => meaningOf({ ...weight, ...more });
const report = { resourceType: 'DiagnosticReport', code: { text: 'Panel' }, result: [{ reference: 'Observation/1' }] };

test.each([
  ['another device', { device: { reference: 'Device/2' } }],
  ['another status', { status: 'amended' }],
  [
    'a better display',
    { code: { ...weight.code, coding: [{ ...weight.code.coding[0], display: 'Weight of the body' }] } },
  ],
  ['other words beside a code', { code: { ...weight.code, text: 'Body weight' } }],
  ['another word for a coded unit', { valueQuantity: { ...weight.valueQuantity, unit: 'kilograms' } }],
])('%s is no other statement', (_what, more) => {
  expect(said(more)).toBe(said({}));
});

test.each([
  ['another value', { valueQuantity: { ...weight.valueQuantity, value: 71 } }],
  ['another unit', { valueQuantity: { ...weight.valueQuantity, code: 'g' } }],
  ['another time', { effectiveDateTime: '2026-01-02' }],
  ['another code', { code: { coding: [{ system: 'http://loinc.org', code: '8302-2' }] } }],
  ['a value that says why it is absent', { dataAbsentReason: { text: 'unknown' } }],
  ['an interpretation', { interpretation: [{ text: 'High' }] }],
  ['what a primitive is extended by', { _effectiveDateTime: { id: 'x' } }],
  ['another word for what has no code', { valueQuantity: { value: 70, unit: 'stone' } }],
  ['a word beside a code without its system', { valueQuantity: { value: 70, unit: 'kg', code: 'kg' } }],
])('%s is another statement', (_what, more) => {
  expect(said(more)).not.toBe(said({}));
});

test('a unit is a word where its code or its system is missing', () => {
  const of = (quantity: object): string | null => said({ valueQuantity: quantity });
  expect(of({ value: 1, unit: 'a', code: 'x' })).not.toBe(of({ value: 1, unit: 'b', code: 'x' }));
  expect(of({ value: 1, unit: 'a', system: UCUM })).not.toBe(of({ value: 1, unit: 'b', system: UCUM }));
  expect(of({ value: 1, unit: 'a', system: UCUM, code: 'x' })).toBe(
    of({ value: 1, unit: 'b', system: UCUM, code: 'x' }),
  );
});

test('text that stands alone, and a number however it is written, are what is said', () => {
  expect(said({ valueCodeableConcept: { text: 'Positive' } })).not.toBe(
    said({ valueCodeableConcept: { text: 'Negative' } }),
  );
  const withDigits = (digits: string): string | null => {
    const parsed = parseLossless(Buffer.from(`{"value":${digits}}`));
    return parsed.ok ? said({ valueQuantity: parsed.value }) : null;
  };
  expect(withDigits('70.10')).not.toBe(withDigits('71.10'));
  expect(withDigits('70.10')).toBe(withDigits('70.1'));
});

test('a report is what it concludes and refers to; a device is never amended', () => {
  const of = (more: object): string | null => meaningOf({ ...report, ...more });
  expect(of({ issued: '2026-01-01T00:00:00Z' })).toBe(of({}));
  expect(of({ conclusion: 'Normal' })).not.toBe(of({}));
  expect(of({})).toMatch(/^[0-9a-f]{32}$/);
  expect(meaningOf({ resourceType: 'Device' })).toBeNull();
});

test('it is stored, so it stays what it was: a hash over what is said, its names in order, without the words beside codes', () => {
  const text =
    '{"code":{"coding":[{"code":"29463-7","system":"http://loinc.org"}]},"effectiveDateTime":"2026-01-01",' +
    '"valueQuantity":{"code":"kg","system":"http://unitsofmeasure.org","value":70}}';
  expect(said({})).toBe(hash('sha256', text).slice(0, 32));
});
