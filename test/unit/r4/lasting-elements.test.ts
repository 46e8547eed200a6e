import { expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { isLasting } from '../../../src/r4/runtime/lasting-elements.ts';
import { deepFreeze } from '../../../src/mappings/index.ts';

const LOINC = 'http://loinc.org';
const concept = (more: object = {}) => ({
  coding: [{ system: LOINC, code: '29463-7', display: 'Body weight' }],
  ...more,
});
const weight = (code: object) => ({ resourceType: 'Observation', status: 'final', code, valueInteger: 1 });

test.each<[string, object, boolean]>([
  ['frozen to its last coding', deepFreeze(concept({ text: 'weight' })), true],
  ['of words alone', deepFreeze({ text: 'weight' }), true],
  ['that may change', concept(), false],
  ['of which a coding may change', Object.freeze(concept()), false],
  ['of which the list may change', Object.freeze({ coding: [Object.freeze({ code: 'a' })] }), false],
  ['with an id', deepFreeze(concept({ id: 'a' })), false],
  ['with an extension', deepFreeze(concept({ extension: [{ url: 'urn:x', valueString: 'y' }] })), false],
  [
    'with an extension in a coding',
    deepFreeze({ coding: [{ code: 'a', extension: [{ url: 'urn:x', valueString: 'y' }] }] }),
    false,
  ],
  ['of a time', deepFreeze({ start: '2026-11-14', end: '2026-11-15' }), true],
  ['whose time came by an extension', deepFreeze({ start: '2026-11-14', _end: { extension: [] } }), false],
  ['with tags', deepFreeze({ source: 'urn:x', tag: [{ code: 'a' }], profile: ['urn:y'] }), true],
  ['with a reference', deepFreeze({ reference: 'Patient/1' }), false],
])('an element %s is remembered, or not', (_, given, isRemembered) => {
  expect(isLasting(given as never)).toBe(isRemembered);
});

test('what was found sound is sound again, and what was not stays so', () => {
  const validator = loadValidator();
  const sound = deepFreeze(concept());
  const broken = deepFreeze({ coding: [{ system: 'not an address', code: ' a ' }] });
  for (let n = 0; n < 3; n += 1) {
    expect(validator.isValid(weight(sound))).toBe(true);
    expect(validator.isValid(weight(broken))).toBe(false);
    expect(validator.validate(weight(broken)).length).toBeGreaterThan(0);
  }
});

test('rules of the element that holds it are asked each time', () => {
  const validator = loadValidator({ profiles: ['vital-signs'] });
  const code = deepFreeze(concept());
  const category = [
    deepFreeze({
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }],
    }),
  ];
  const quantity = { value: 70, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' };
  const whole = {
    ...{ resourceType: 'Observation', status: 'final', category, code, subject: { reference: 'Patient/1' } },
    ...{ effectiveDateTime: '2026-11-14', valueQuantity: quantity },
  };
  for (let n = 0; n < 2; n += 1) {
    expect(validator.isValid(whole)).toBe(true);
    expect(validator.isValid({ ...whole, valueQuantity: { ...quantity, code: 'cm' } })).toBe(false);
  }
});
