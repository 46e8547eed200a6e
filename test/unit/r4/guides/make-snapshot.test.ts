import { describe, expect, test } from '@jest/globals';
import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { makeSnapshot } from '../../../../src/r4/guides/make-snapshot.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const SITE = 'http://example.org/StructureDefinition/';

function aProfile(
  name: string,
  base: string,
  element: ElementDefinition[],
  more: Partial<StructureDefinition> = {},
): StructureDefinition {
  return {
    resourceType: 'StructureDefinition',
    url: SITE + name,
    name,
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Observation',
    baseDefinition: base.includes('/') ? base : CORE + base,
    derivation: 'constraint',
    differential: { element },
    ...more,
  };
}

const at = (id: string, more: Partial<ElementDefinition> = {}): ElementDefinition => {
  const sliceName = /:([^.:]*)$/.exec(id)?.[1];
  return { id, path: id.replace(/:[^.]*/g, ''), ...(sliceName === undefined ? {} : { sliceName }), ...more };
};

/** The elements of the snapshot by id; fails the test where there is none. */
function made(profile: StructureDefinition, ...others: StructureDefinition[]): Map<string, ElementDefinition> {
  const result = makeSnapshot(profile, (canonical) => others.find(({ url }) => url === canonical));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return new Map(result.value.snapshot?.element.map((one) => [one.id ?? '', one]));
}

function refused(profile: StructureDefinition, ...others: StructureDefinition[]): string[] {
  const result = makeSnapshot(profile, (canonical) => others.find(({ url }) => url === canonical));
  return result.ok ? [] : result.problems.map(({ code, path }) => `${code} ${path}`);
}

const observation = (...element: ElementDefinition[]): StructureDefinition => aProfile('p', 'Observation', element);

describe('merging', () => {
  test('keeps the base where the differential is silent, and takes what it says', () => {
    const elements = made(observation(at('Observation.status', { fixedCode: 'final', mustSupport: true })));
    expect(elements.get('Observation.status')).toMatchObject({
      min: 1,
      max: '1',
      fixedCode: 'final',
      mustSupport: true,
    });
    expect(elements.get('Observation.code')).toMatchObject({ min: 1, type: [{ code: 'CodeableConcept' }] });
    expect(elements.get('Observation.component.referenceRange')?.contentReference).toBe('#Observation.referenceRange');
  });

  test('adds constraints with their source, along a chain of bases', () => {
    const rule = (key: string): Partial<ElementDefinition> => ({
      constraint: [{ key, severity: 'error', human: key, expression: 'true' }],
    });
    const base = aProfile('base', 'Observation', [at('Observation', rule('one'))]);
    const profile = aProfile('p', base.url, [at('Observation', rule('two'))]);
    const root = made(profile, base).get('Observation');
    expect(root?.constraint?.map(({ key, source }) => [key, source])).toEqual([
      ['obs-6', `${CORE}Observation`],
      ['obs-7', `${CORE}Observation`],
      ['one', base.url],
      ['two', profile.url],
    ]);
  });

  test('lets one kind of pattern take the place of another, and bindings add to what was bound', () => {
    const base = aProfile('base', 'Observation', [
      at('Observation.value[x]', { patternString: 'a' }),
      at('Observation.code', { binding: { strength: 'extensible', valueSet: 'http://example.org/vs' } }),
    ]);
    const elements = made(
      aProfile('p', base.url, [
        at('Observation.value[x]', { patternInteger: 1 }),
        at('Observation.code', { binding: { strength: 'required' } }),
      ]),
      base,
    );
    expect(elements.get('Observation.value[x]')).toMatchObject({ patternInteger: 1 });
    expect(elements.get('Observation.value[x]')).not.toHaveProperty('patternString');
    expect(elements.get('Observation.code')?.binding).toEqual({
      strength: 'required',
      valueSet: 'http://example.org/vs',
    });
  });

  test('takes elements without ids by their paths and slice names', () => {
    const slicing = { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' } as const;
    const bare = (path: string, more: Partial<ElementDefinition> = {}): ElementDefinition => ({ path, ...more });
    const elements = made(
      observation(
        bare('Observation.component', { slicing: { ...slicing, discriminator: [...slicing.discriminator] } }),
        bare('Observation.component', { sliceName: 'a' }),
        bare('Observation.component.code', { min: 1 }),
        bare('Observation.component', { sliceName: 'b', min: 1 }),
        bare('Observation.component.interpretation', { max: '0' }),
        bare('Observation.note', { max: '1' }),
      ),
    );
    expect(elements.get('Observation.component:b')?.min).toBe(1);
    expect(elements.get('Observation.component:b.interpretation')?.max).toBe('0');
    expect(elements.get('Observation.component:a.interpretation')?.max).toBe('*');
    expect(elements.get('Observation.component.interpretation')?.max).toBe('*');
    expect(elements.get('Observation.note')?.max).toBe('1');
  });
});

describe('unfolding', () => {
  test('walks into datatypes, deeply', () => {
    const elements = made(observation(at('Observation.code.coding.system', { min: 1, fixedUri: 'http://loinc.org' })));
    expect(elements.get('Observation.code.coding.system')).toMatchObject({ min: 1, fixedUri: 'http://loinc.org' });
    expect(elements.get('Observation.code.coding.system')?.base?.path).toBe('Coding.system');
    expect(elements.get('Observation.code.text')).toBeDefined();
    expect(elements.has('Observation.category.coding')).toBe(false);
  });

  test('walks into primitives', () => {
    const elements = made(observation(at('Observation.status.extension', { max: '0' })));
    expect(elements.get('Observation.status.extension')?.max).toBe('0');
  });

  test('walks into what a content reference leads to', () => {
    const elements = made(observation(at('Observation.component.referenceRange.low', { min: 1 })));
    expect(elements.get('Observation.component.referenceRange.low')?.min).toBe(1);
    expect(elements.get('Observation.referenceRange.low')?.min).toBe(0);
    const nested = made(
      aProfile('q', 'Questionnaire', [at('Questionnaire.item.item.item.text', { min: 1 })], { type: 'Questionnaire' }),
    );
    expect(nested.get('Questionnaire.item.item.item.text')?.min).toBe(1);
    expect(nested.get('Questionnaire.item.item.text')?.min).toBe(0);
  });

  test('walks into the profile of an element, where it is known', () => {
    const concept = aProfile('concept', 'CodeableConcept', [at('CodeableConcept.text', { min: 1 })], {
      type: 'CodeableConcept',
    });
    const profile = observation(
      at('Observation.code', { type: [{ code: 'CodeableConcept', profile: [concept.url] }] }),
      at('Observation.code.coding', { min: 1 }),
    );
    expect(made(profile, concept).get('Observation.code.text')?.min).toBe(1);
    expect(made(profile).get('Observation.code.text')?.min).toBe(0);
  });

  test('walks into the resource of a bundle entry once its type is said', () => {
    const elements = made(
      aProfile(
        'bundle',
        'Bundle',
        [
          at('Bundle.entry', { slicing: { discriminator: [{ type: 'type', path: 'resource' }], rules: 'open' } }),
          at('Bundle.entry:patient', { min: 1, max: '1' }),
          at('Bundle.entry:patient.resource', { min: 1, type: [{ code: 'Patient' }] }),
          at('Bundle.entry:patient.resource.birthDate', { min: 1 }),
        ],
        { type: 'Bundle' },
      ),
    );
    expect(elements.get('Bundle.entry:patient.resource.birthDate')?.min).toBe(1);
  });

  test('of a choice with several types gives what all types have', () => {
    const elements = made(observation(at('Observation.value[x].extension', { min: 1 })));
    expect(elements.get('Observation.value[x].extension')?.min).toBe(1);
    expect(refused(observation(at('Observation.value[x].coding')))).toEqual([
      'element-unknown Observation.value[x].coding',
    ]);
  });
});

describe('slices', () => {
  const byCode: ElementDefinition['slicing'] = { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' };

  test('begin as what they are slices of, may be absent, and have the children of their element', () => {
    const elements = made(
      observation(
        at('Observation.component', { slicing: byCode, min: 2, mustSupport: true }),
        at('Observation.component.interpretation', { max: '0' }),
        at('Observation.component:a', { max: '1' }),
        at('Observation.component:a.code', { patternCodeableConcept: { text: 'a' } }),
      ),
    );
    const slice = elements.get('Observation.component:a');
    expect(slice).toMatchObject({ min: 0, max: '1', sliceName: 'a', mustSupport: true });
    expect(slice).not.toHaveProperty('slicing');
    expect(elements.get('Observation.component:a.interpretation')?.max).toBe('0');
    expect(elements.get('Observation.component.code')).not.toHaveProperty('patternCodeableConcept');
  });

  test('are sliced again, below their slice', () => {
    const elements = made(
      observation(
        at('Observation.component', { slicing: byCode }),
        at('Observation.component:a', { slicing: byCode }),
        at('Observation.component:a/b', { min: 1 }),
        at('Observation.component:a/b.code', { patternCodeableConcept: { text: 'b' } }),
        at('Observation.component:c'),
      ),
    );
    const ids = [...elements.keys()].filter((id) => /^Observation\.component:[^.]*$/.test(id));
    expect(ids).toEqual(['Observation.component:a', 'Observation.component:a/b', 'Observation.component:c']);
    expect(elements.get('Observation.component:a/b')?.sliceName).toBe('a/b');
  });

  test('of extensions need no slicing said, and may point to a profile', () => {
    const elements = made(
      observation(at('Observation.extension:x', { type: [{ code: 'Extension', profile: [`${SITE}x`] }], min: 1 })),
    );
    expect(elements.get('Observation.extension')?.slicing?.discriminator).toEqual([{ type: 'value', path: 'url' }]);
    expect(elements.get('Observation.extension:x')).toMatchObject({ min: 1, type: [{ profile: [`${SITE}x`] }] });
  });

  test('of a base are found and narrowed, and new ones added beside them', () => {
    const base = aProfile('base', 'Observation', [
      at('Observation.component', { slicing: byCode }),
      at('Observation.component:a', { max: '1' }),
    ]);
    const profile = aProfile('p', base.url, [
      at('Observation.component:a', { min: 1 }),
      at('Observation.component:b', { max: '1' }),
    ]);
    const elements = made(profile, base);
    expect(elements.get('Observation.component:a')).toMatchObject({ min: 1, max: '1' });
    expect(elements.get('Observation.component:b')).toMatchObject({ min: 0, max: '1' });
  });
});

describe('choices', () => {
  test.each(['Observation.valueQuantity', 'Observation.value[x]:valueQuantity'])('are spelled %s', (id) => {
    const elements = made(observation(at(id), at(`${id}.unit`, { min: 1 })));
    expect(elements.get('Observation.value[x]')?.slicing?.discriminator).toEqual([{ type: 'type', path: '$this' }]);
    expect(elements.get('Observation.value[x]')?.type).toHaveLength(11);
    expect(elements.get('Observation.value[x]:valueQuantity')).toMatchObject({ min: 0, type: [{ code: 'Quantity' }] });
    expect(elements.get('Observation.value[x]:valueQuantity.unit')).toMatchObject({
      path: 'Observation.value[x].unit',
      min: 1,
    });
  });

  test('of which one value is required have no other', () => {
    const elements = made(observation(at('Observation.valueQuantity', { min: 1 })));
    expect(elements.get('Observation.value[x]')).toMatchObject({ min: 1, type: [{ code: 'Quantity' }] });
    expect(elements.get('Observation.value[x]')?.slicing?.rules).toBe('closed');
  });

  test('may have several values that are spoken of', () => {
    const elements = made(
      observation(
        at('Observation.valueQuantity', { mustSupport: true }),
        at('Observation.valueString', { mustSupport: true }),
      ),
    );
    expect([...elements.keys()].filter((id) => id.startsWith('Observation.value[x]:'))).toEqual([
      'Observation.value[x]:valueQuantity',
      'Observation.value[x]:valueString',
    ]);
  });

  test('restricted to one type are walked into as they are', () => {
    const elements = made(
      observation(
        at('Observation.value[x]', { type: [{ code: 'Quantity' }] }),
        at('Observation.value[x].unit', { min: 1 }),
      ),
    );
    expect(elements.get('Observation.value[x].unit')?.min).toBe(1);
  });
});

describe('what cannot be made is refused, with the element', () => {
  test('elements, types and slices that have no place, all at once', () => {
    expect(
      refused(
        observation(
          at('Observation.nothing'),
          at('Patient.name'),
          at('Observation.value[x]', { type: [{ code: 'Address' }] }),
          at('Observation.component:a'),
          at('Observation.extension:x.url'),
          at('Observation.id.x'),
          at('Observation.status', { min: 0 }),
          at('Observation.subject', { max: '*' }),
          at('Observation.note', { min: 2, max: '1' }),
          at('Observation.issued', { max: 'many' }),
        ),
      ),
    ).toEqual([
      'element-unknown Observation.nothing',
      'element-unknown Patient.name',
      'type-not-allowed Observation.value[x]',
      'slicing-missing Observation.component:a',
      'slice-unknown Observation.extension:x.url',
      'type-unknown Observation.id.x',
      'cardinality-loosened Observation.status',
      'cardinality-loosened Observation.subject',
      'cardinality-contradiction Observation.note',
      'cardinality-unreadable Observation.issued',
    ]);
  });

  test('a base that is not there, and what is no profile', () => {
    const orphan = aProfile('p', `${SITE}gone`, []);
    expect(refused(orphan)).toEqual(['base-missing StructureDefinition.baseDefinition']);
    const { baseDefinition: _, ...bare } = orphan;
    expect(refused(bare)).toEqual(['base-missing StructureDefinition.baseDefinition']);
    expect(refused(aProfile('p', 'Observation', [], { derivation: 'specialization' }))).toEqual([
      'snapshot-not-profile StructureDefinition.derivation',
    ]);
  });

  test('a base of another type, a slice that is loosened, and bases without end', () => {
    expect(refused(aProfile('p', 'Observation', [], { type: 'Patient' }))).toEqual([
      'base-other-type StructureDefinition.type',
    ]);
    const base = aProfile('base', 'Observation', [at('Observation.extension:x', { min: 1, max: '1' })]);
    const loose = aProfile('p', base.url, [at('Observation.extension:x', { min: 0 })]);
    expect(refused(loose, base)).toEqual(['cardinality-loosened Observation.extension:x']);
    const chain = Array.from({ length: 3000 }, (_, index) => aProfile(`c${index}`, `${SITE}c${index + 1}`, []));
    expect(refused(aProfile('p', `${SITE}c0`, []), ...chain)).toEqual([
      'base-too-deep StructureDefinition.baseDefinition',
    ]);
  });

  test('a profile that is its own base, or is needed for its own snapshot', () => {
    const a = aProfile('a', `${SITE}b`, []);
    const b = aProfile('b', `${SITE}a`, []);
    expect(refused(a, a, b)).toEqual([`snapshot-cycle ${SITE}a`]);
    const self = observation(
      at('Observation.code', { type: [{ code: 'CodeableConcept', profile: [`${SITE}p`] }] }),
      at('Observation.code.text', { min: 1 }),
    );
    expect(refused(self, self)).toEqual(['profile-unmade Observation.code.text']);
  });

  test('what multiplies itself', () => {
    const byCode: ElementDefinition['slicing'] = { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' };
    const deep = `Questionnaire${'.item'.repeat(50)}`;
    expect(refused(aProfile('q', 'Questionnaire', [at(deep)], { type: 'Questionnaire' }))).toEqual([
      `element-too-deep ${deep}`,
    ]);
    const again = `Observation.component:${'a/'.repeat(20)}b`;
    expect(refused(observation(at('Observation.component', { slicing: byCode }), at(again)))).toEqual([
      `element-too-deep ${again}`,
    ]);
    const many = Array.from({ length: 10_001 }, () => at('Observation.code'));
    expect(refused(observation(...many))).toEqual(['snapshot-too-large Observation']);
    const slices = Array.from({ length: 9_000 }, (_, index) => at(`Observation.component:s${index}`));
    const codes = refused(observation(at('Observation.component', { slicing: byCode }), ...slices));
    expect(codes[0]).toMatch(/^snapshot-too-large Observation\.component:s/);
  });

  test('a base whose own differential does not fit, by its problems', () => {
    const base = aProfile('base', 'Observation', [at('Observation.nothing')]);
    const result = makeSnapshot(aProfile('p', base.url, []), () => base);
    expect(result.ok ? [] : result.problems).toEqual([
      { code: 'element-unknown', file: base.url, path: 'Observation.nothing', text: expect.any(String) },
    ]);
  });
});

test('neither the definition nor its base is changed', () => {
  const base = aProfile('base', 'Observation', [at('Observation.code', { min: 1 })]);
  const profile = aProfile('p', base.url, [at('Observation.code.text', { min: 1 }), at('Observation.valueString')]);
  const before = JSON.stringify([base, profile]);
  made(profile, base);
  made(profile, base);
  expect(JSON.stringify([base, profile])).toBe(before);
});
