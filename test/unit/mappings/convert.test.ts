import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readExact } from '../../../src/mappings/exact.ts';
import { roundConverted } from '../../../src/mappings/round-converted.ts';
import { parsed, shippedFiles, shippedMappings } from '../../support/mapping-files.ts';

const mappings = shippedMappings();
const convert = (digits: string, from: string, to: string, decimalsMax: number) =>
  mappings.convert(digits, from, to, decimalsMax)?.digits ?? null;

test.each([
  ['27000', 's', 'h', 2, '7.50'],
  ['25230', 's', 'h', 2, '7.01'],
  ['5700', 's', 'min', 0, '95'],
  ['1.78', 'm', 'cm', 1, '178'],
  ['1.8', 'm', 'cm', 1, '180'],
  ['98.6', '[degF]', 'Cel', 1, '37.0'],
  ['100.4', '[degF]', 'Cel', 1, '38.0'],
  ['32', '[degF]', 'Cel', 1, '0'],
  ['31.9', '[degF]', 'Cel', 1, '-0.1'],
  ['310.15', 'K', 'Cel', 1, '37.0'],
  ['0.97', '1', '%', 1, '97'],
  ['0.975', '1', '%', 1, '97.5'],
  ['150', '[lb_av]', 'kg', 1, '68.0'],
  ['8', '[lb_av]', 'kg', 1, '3.6'],
  ['36', '[ft_i]', 'm', 2, '11.0'],
  ['8786.4', 'kJ', 'kcal', 0, '2100'],
  ['8786.4', 'kJ', 'kcal/(24.h)', 0, '2100'],
  ['8786400', 'J', 'kcal/d', 0, '2100'],
  ['8421', '{steps}', '/d', 0, '8421'],
  ['2150', 'kcal', 'kcal/(24.h)', 0, '2150'],
  ['72', '{beats}/min', '/min', 0, '72'],
  ['6.2', '10*9/L', '10*3/uL', 2, '6.2'],
  ['1e3', 'm', 'km', 3, '1'],
])('%s %s in %s with at most %s decimals is %s', (digits, from, to, decimals, expected) => {
  expect(convert(digits, from, to, decimals)).toBe(expected);
});

describe('halves go to the even neighbour, once', () => {
  test.each([
    ['30', '0'],
    ['90', '2'],
    ['150', '2'],
    ['210', '4'],
    ['-30', '0'],
    ['-90', '-2'],
    ['91', '2'],
  ])('%s s are %s min', (digits, expected) => {
    expect(convert(digits, 's', 'min', 0)).toBe(expected);
  });
});

test('the same unit changes nothing, and names no row', () => {
  expect(mappings.convert('70.10', 'kg', 'kg', 0)).toEqual({ digits: '70.10', row: null });
});

test('a conversion names the row that it used', () => {
  expect(mappings.convert('60', 's', 'min', 0)).toEqual({ digits: '1', row: 'units.json#time/s > min' });
});

test.each([
  ['5', 'mg/dL', 'mmol/L'],
  ['5', 'kg', 'cm'],
  ['5', 'nonsense', 'kg'],
  ['5', '/d', '{steps}'],
  ['5', '{flights}', '/d'],
  ['5', '%', '/d'],
  ['5', 'u[IU]/mL', 'ng/mL'],
  ['five', 's', 'min'],
  ['NaN', 's', 'min'],
  ['1e999999999', 's', 'min'],
  ['', 's', 'min'],
])('%s %s has no way to %s', (digits, from, to) => {
  expect(mappings.convert(digits, from, to, 2)).toBeNull();
});

describe('mass and substance', () => {
  test.each([
    ['2345-7', '90', 'mg/dL', 'mmol/L', 2, '5.00'],
    ['2345-7', '5.5', 'mmol/L', 'mg/dL', 0, '99'],
    ['3094-0', '14', 'mg/dL', 'mmol/L', 2, '5.0'],
    ['3091-6', '30', 'mg/dL', 'mmol/L', 2, '5.0'],
    ['2160-0', '1.0', 'mg/dL', 'umol/L', 0, '88'],
    ['4548-4', '48', 'mmol/mol', '%', 1, '6.5'],
    ['4548-4', '6.5', '%', 'mmol/mol', 0, '48'],
  ])('%s: %s %s in %s', (code, digits, from, to, decimals, expected) => {
    expect(mappings.convertSubstance(code, digits, from, to, decimals)?.digits).toBe(expected);
  });

  test.each([
    ['10835-7', 'mg/dL', 'nmol/L'],
    ['20448-7', 'u[IU]/mL', 'pmol/L'],
    ['2324-2', 'U/L', 'nmol/L'],
  ])('%s has no way from %s to %s', (code, from, to) => {
    expect(mappings.convertSubstance(code, '5', from, to, 2)).toBeNull();
  });
});

type Family = { name: string; base: string; units: { code: string }[] };
const { families } = parsed(shippedFiles(), 'units.json') as { families: Family[] };
const pairs = families.flatMap(({ units }) =>
  units.flatMap(({ code: from }) =>
    units.filter(({ code }) => code !== from).map(({ code: to }) => [from, to] as const),
  ),
);

const measurement = fc
  .tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 4 }))
  .map(([whole, decimals]) => (whole / 10 ** decimals).toFixed(decimals));

const significant = (digits: string): number => digits.replace(/[-.]/g, '').replace(/^0+/, '').length;

describe('any measurement, any pair of units', () => {
  test('there and back is the same number, as long as nothing is rounded away', () => {
    fc.assert(
      fc.property(measurement, fc.constantFrom(...pairs), (digits, [from, to]) => {
        // Forty decimals and a long text keep all that matters; the way back is rounded to what was given.
        const padded = `${digits}${digits.includes('.') ? '' : '.'}${'0'.repeat(20)}`;
        const there = mappings.convert(padded, from, to, 60);
        const back = mappings.convert(there?.digits ?? '', to, from, 6);
        expect(Math.abs(Number(back?.digits) - Number(digits))).toBeLessThanOrEqual(1e-6);
      }),
    );
  });

  test('no precision is invented, and none is lost but to the limit of decimals', () => {
    fc.assert(
      fc.property(
        measurement,
        fc.constantFrom(...pairs),
        fc.integer({ min: 0, max: 6 }),
        (digits, [from, to], decimalsMax) => {
          const found = convert(digits, from, to, decimalsMax) ?? '';
          const [whole = '', part = ''] = found.split('.');
          expect(part.length).toBeLessThanOrEqual(decimalsMax);
          if (part !== '' && Number(found) !== 0)
            expect(significant(found)).toBeLessThanOrEqual(significant(digits) + 2);
          expect(whole).toMatch(/^-?(?:0|[1-9]\d*)$/);
        },
      ),
    );
  });

  test('what comes out is JSON number text, and its rounding error is at most half of its last place', () => {
    fc.assert(
      fc.property(measurement, fc.constantFrom(...pairs), (digits, [from, to]) => {
        const found = convert(digits, from, to, 3) ?? '';
        expect(String(JSON.parse(found))).toBe(String(Number(found)));
        const exact = Number(convert(`${digits}${digits.includes('.') ? '' : '.'}${'0'.repeat(30)}`, from, to, 40));
        const place = 10 ** -(found.split('.')[1]?.length ?? 0);
        expect(Math.abs(Number(found) - exact)).toBeLessThanOrEqual(place / 2 + Math.abs(exact) * 1e-12);
      }),
    );
  });

  test('more is more', () => {
    fc.assert(
      fc.property(measurement, measurement, fc.constantFrom(...pairs), (a, b, [from, to]) => {
        const [low, high] = Number(a) <= Number(b) ? [a, b] : [b, a];
        expect(Number(convert(low, from, to, 0))).toBeLessThanOrEqual(Number(convert(high, from, to, 0)));
      }),
    );
  });
});

test('a number that goes into a unit of the same size keeps its text, or is rounded like any other', () => {
  const numbers = fc.oneof(
    fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,11})?$/),
    fc.stringMatching(/^\d{1,3}(\.\d{1,3})?[eE][+-]?\d$/),
  );
  fc.assert(
    fc.property(numbers, fc.integer({ min: 0, max: 9 }), (digits, decimalsMax) => {
      const value = readExact(digits);
      const expected = value === null ? null : roundConverted({ digits, value }, value, decimalsMax);
      expect(convert(digits, '{steps}', '/d', decimalsMax)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
