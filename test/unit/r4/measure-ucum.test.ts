import { expect, test } from '@jest/globals';
import { measureUcum } from '../../../src/r4/index.ts';

const same = (a: string, b: string): boolean => measureUcum(a)?.dimension === measureUcum(b)?.dimension;

test.each([
  ['mg/dL', 'g/L'],
  ['umol/L', 'mmol/L'],
  ['u[IU]/mL', 'm[IU]/L'],
  ['Cel', '[degF]'],
  ['Cel', 'K'],
  ['10*3/uL', '10*9/L'],
  ['%', 'L/L'],
  ['{steps}', '1'],
  ['mg/g{creat}', 'mg/g'],
  ['kcal', 'kJ'],
])('%s and %s measure the same', (a, b) => {
  expect(same(a, b)).toBe(true);
});

test.each([
  ['mg/dL', 'mmol/L'],
  ['mmol/L', 'meq/L'],
  ['mmol/L', '10*3/uL'],
  ['[IU]/mL', "[arb'U]/mL"],
  ['U/L', '[IU]/L'],
  ['[IU]/mL', '10*3/uL'],
  ['[pH]', 'mol/L'],
  ['%', 'mmol/mol'],
  ['/[HPF]', '1'],
  ['%', '{INR}'],
])('%s and %s do not', (a, b) => {
  expect(same(a, b)).toBe(false);
});

test('what is not UCUM measures nothing', () => {
  expect(measureUcum('bpm')).toBeNull();
});

test('scales with a zero of their own have no magnitude', () => {
  expect([measureUcum('Cel')?.magnitude, measureUcum('min')?.magnitude]).toEqual([null, 60]);
});
