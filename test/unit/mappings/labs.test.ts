import { describe, expect, test } from '@jest/globals';
import { shippedMappings } from '../../support/mapping-files.ts';

const mappings = shippedMappings();
const codeOf = (name: string, unit: string | null, value: 'quantity' | 'coded' | 'text' = 'quantity') => {
  const found = mappings.findLab({ name, unit, value });
  return found.kind === 'found' ? found.row.codings[0]?.code : found.why;
};

describe('the unit decides between candidates', () => {
  test.each([
    ['Glucose', 'mg/dL', '2345-7'],
    ['Glucose', 'g/L', '2345-7'],
    ['Glucose', 'mmol/L', '14749-6'],
    ['Creatinine', 'mg/dL', '2160-0'],
    ['Creatinine', 'umol/L', '14682-9'],
    ['BUN', 'mg/dL', '3094-0'],
    ['BUN', 'mmol/L', '14937-7'],
    ['LDL', 'mg/dL', '2089-1'],
    ['LDL', 'mmol/L', '22748-8'],
    ['Lp(a)', 'mg/dL', '10835-7'],
    ['Lp(a)', 'nmol/L', '43583-4'],
    ['HbA1c', '%', '4548-4'],
    ['HbA1c', 'mmol/mol', '59261-8'],
    ['Neutrophils', '%', '770-8'],
    ['Neutrophils', '10*9/L', '751-8'],
    ['TSH', 'u[IU]/mL', '3016-3'],
    ['ALT', 'U/L', '1742-6'],
    ['ALT', '[IU]/L', '1742-6'],
    ['Sodium', 'meq/L', '2951-2'],
    ['CA 125', 'U/mL', '10334-1'],
    ['D-dimer', 'ng/mL{FEU}', '48065-7'],
    ['D-dimer', 'ug/L{DDU}', '48066-5'],
    ['INR', null, '6301-6'],
    ['Albumin/Globulin ratio', null, '1759-0'],
    ['BUN/Creatinine ratio', null, '3097-3'],
    ['Urine pH', null, '2756-5'],
  ])('%s in %s is %s', (name, unit, code) => {
    expect(codeOf(name, unit)).toBe(code);
  });

  test.each([
    ['Glucose', '%', 'dimension'],
    ['Glucose', null, 'dimension'],
    ['HbA1c', null, 'dimension'],
    ['TSH', "[arb'U]/mL", 'dimension'],
    ['TSH', 'ng/mL', 'dimension'],
    ['Glucose', 'not a unit', 'dimension'],
    ['D-dimer', 'ng/mL', 'dimension'],
    ['Calcium', 'mmol/L', 'dimension'],
    ['Glucose', 'meq/L', 'dimension'],
  ])('%s in %s is refused', (name, unit, why) => {
    expect(codeOf(name, unit)).toBe(why);
  });
});

describe('the kind of the value decides too', () => {
  test('a presence is not a concentration', () => {
    expect(codeOf('Urine glucose', null, 'coded')).toBe('25428-4');
    expect(codeOf('Urine glucose', 'mg/dL')).toBe('5792-7');
    expect(codeOf('HBsAg', null, 'text')).toBe('5195-3');
  });

  test('words about a measured test choose no code', () => {
    expect(codeOf('Glucose', null, 'text')).toBe('dimension');
  });
});

describe('names', () => {
  test.each([
    ['  hdl-C ', 'mg/dL', '2085-9'],
    ['NEUT%', '%', '770-8'],
    ['Non-HDL Cholesterol', 'mg/dL', '43396-1'],
    ['25(OH)D3', 'ng/mL', '1989-3'],
    ['25-OH Vitamin D', 'ng/mL', '62292-8'],
  ])('%s is found however it is written', (name, unit, code) => {
    expect(codeOf(name, unit)).toBe(code);
  });

  test.each([
    ['MCV', 'fL', '30428-7'],
    ['ESR', 'mm/h', '30341-2'],
    ['LDH', 'U/L', '2532-0'],
    ['TSH', 'm[IU]/L', '3016-3'],
    ['LDL-C', 'mg/dL', '2089-1'],
    ['UACR', 'mg/g{creat}', '9318-7'],
  ])('a bare %s goes to the code that states no method', (name, unit, code) => {
    expect(codeOf(name, unit)).toBe(code);
  });

  test.each([
    ['eGFR', 'mL/min/{1.73_m2}'],
    ['Tg', 'ng/mL'],
    ['TG', 'mg/dL'],
    ['Cr', 'mg/dL'],
    ['vitamin d', 'ng/mL'],
  ])('%s could mean two things and is not guessed', (name, unit) => {
    expect(codeOf(name, unit)).toBe('unknown');
  });

  test('fasting is another code, only if stated', () => {
    expect(codeOf('Fasting glucose', 'mg/dL')).toBe('1558-6');
  });
});

test.each([
  ['Lipid Panel', '24331-1'],
  ['CBC', '58410-2'],
  ['Comprehensive Metabolic Panel', '24323-8'],
  ['Urinalysis', '24356-8'],
])('the panel %s is %s', (name, code) => {
  expect(mappings.findPanel(name)?.codings[0]?.code).toBe(code);
});

describe('words', () => {
  test.each([
    ['bpm', '/min'],
    ['breaths_per_min', '/min'],
    ['percentage', '%'],
    ['seconds', 's'],
    ['mg/dl', 'mg/dL'],
    ['MG/DL', 'mg/dL'],
    ['mcg/dL', 'ug/dL'],
    ['µg/dL', 'ug/dL'],
    ['μg/dL', 'ug/dL'],
    ['K/uL', '10*3/uL'],
    ['x10^9/L', '10*9/L'],
    ['uIU/mL', 'u[IU]/mL'],
    ['mmHg', 'mm[Hg]'],
    ['mEq/L', 'meq/L'],
    ['/hpf', '/[HPF]'],
    ['°F', '[degF]'],
    ['G/L', '10*9/L'],
    ['g/l', 'g/L'],
    ['Cal', 'kcal'],
    ['cal', 'cal'],
  ])('the unit %s is %s', (text, ucum) => {
    expect(mappings.findUnit(text)?.ucum).toBe(ucum);
  });

  test('a unit that nobody mapped is unmapped', () => {
    expect(mappings.findUnit('furlongs')).toBeNull();
  });

  test.each([
    ['above', 'H'],
    ['below', 'L'],
    ['Normal', 'N'],
    ['improving', 'B'],
    ['Non-reactive', 'NR'],
    ['positive', 'POS'],
  ])('%s is interpreted as %s', (word, code) => {
    expect(mappings.findInterpretation(word)?.codings[0]?.code).toBe(code);
  });

  test.each(['critical', 'Critical', 'stable', 'very high', 'panic'])('%s is not interpreted', (word) => {
    expect(mappings.findInterpretation(word)).toBeNull();
  });

  test('a kind of device is named only where it is certain', () => {
    expect(mappings.findDeviceType('Pulse_Oximeter')?.codings[0]).toEqual({
      system: 'urn:iso:std:iso:11073:10101',
      code: '528388',
    });
    expect(mappings.findDeviceType('watch')).toBeNull();
  });

  test('categories of the source become those of HL7', () => {
    const codeOfCategory = (code: string) => mappings.findCategory(code)?.codings[0]?.code;
    expect(['vital-signs', 'activity', 'survey', 'laboratory', 'other'].map(codeOfCategory)).toEqual([
      'vital-signs',
      'activity',
      'activity',
      'laboratory',
      undefined,
    ]);
  });
});

describe('plausibility', () => {
  test('is found in the unit of the row, and in every unit that converts to it', () => {
    expect(mappings.findPlausibility('718-7', 'g/dL')?.hard).toEqual({ low: 0.5, high: 30 });
    expect(mappings.findPlausibility('718-7', 'g/L')?.hard).toEqual({ low: 5, high: 300 });
    expect(mappings.findPlausibility('8310-5', '[degF]')?.soft).toEqual({ low: 95, high: 106.7 });
    expect(mappings.findPlausibility('718-7', 'mmol/L')).toBeNull();
  });

  test.each([
    ['59408-5', '%', 0.97],
    ['93832-4', 'h', 27_000],
    ['8310-5', 'Cel', 98.6],
    ['2345-7', 'mg/dL', 5.5],
    ['14647-2', 'mmol/L', 190],
    ['4544-3', '%', 0.45],
  ])('%s in %s: %s is in another unit, and cannot be true', (code, unit, value) => {
    const { low, high } = mappings.findPlausibility(code, unit)?.hard ?? { low: null, high: null };
    expect((low !== null && value < low) || (high !== null && value > high)).toBe(true);
  });
});
