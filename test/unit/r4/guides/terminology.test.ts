import { describe, expect, test } from '@jest/globals';
import type { CodeSystem, ValueSet, ValueSetCompose } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { hl7CodeSystem } from '../../../../src/r4/definitions/hl7-terminology.ts';
import { makeTerminology, type Members } from '../../../../src/r4/guides/terminology.ts';
import { aCodeSystem, aValueSet } from './make-package.ts';
import { readIps } from './published-guides.ts';

const SYSTEM = 'http://example.org/cs';
const OTHER = 'http://example.org/other';
const LOINC = 'http://loinc.org';

/** animal > (mammal > (cat, dog), bird > owl); bat has two parents; `animal` is not to be used. */
const animals = aCodeSystem(SYSTEM, {
  property: [{ code: 'legs', type: 'integer' }],
  concept: [
    {
      code: 'animal',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [
        {
          code: 'mammal',
          concept: [
            { code: 'cat', property: [{ code: 'legs', valueInteger: 4 }] },
            { code: 'dog', property: [{ code: 'legs', valueInteger: 4 }] },
          ],
        },
        { code: 'bird', concept: [{ code: 'owl', property: [{ code: 'legs', valueInteger: 2 }] }] },
      ],
    },
    {
      code: 'bat',
      property: [
        { code: 'subsumedBy', valueCode: 'mammal' },
        { code: 'subsumedBy', valueCode: 'bird' },
        { code: 'legs', valueInteger: 2 },
      ],
    },
  ],
}) as CodeSystem;
const ALL = ['animal', 'mammal', 'cat', 'dog', 'bird', 'owl', 'bat'];

const aSet = (compose: ValueSetCompose, more: object = {}): ValueSet =>
  aValueSet('http://example.org/vs', { compose, ...more }) as ValueSet;

/** The members among all codes of the test systems, or why there are none. */
function expanded(valueSet: ValueSet, valueSets: ValueSet[] = [], codeSystems = [animals]): string[] | string {
  const members = makeTerminology([{ valueSets: [valueSet, ...valueSets], codeSystems }]).expand(valueSet.url ?? '');
  if ('notExpanded' in members) return members.notExpanded;
  const found = ALL.filter((code) => members.has(SYSTEM, code));
  expect(members.size).toBeGreaterThanOrEqual(found.length);
  return found;
}

const filtered = (property: string, op: string, value: string): string[] | string =>
  expanded(aSet({ include: [{ system: SYSTEM, filter: [{ property, op: op as 'is-a', value }] }] }));

describe('a set is made of', () => {
  test('a whole system, without codes that only group others', () => {
    expect(expanded(aSet({ include: [{ system: SYSTEM }] }))).toEqual(ALL.filter((code) => code !== 'animal'));
  });

  test('listed codes, also of systems that are not loaded', () => {
    const listed = aSet({ include: [{ system: LOINC, concept: [{ code: '1-8' }, { code: '2-6' }] }] });
    const members = makeTerminology([{ valueSets: [listed], codeSystems: [] }]).expand(
      'http://example.org/vs',
    ) as Members;
    expect([members.has(LOINC, '1-8'), members.has(LOINC, '3-4'), members.has(OTHER, '1-8')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([members.hasCode('2-6'), members.has(undefined, '2-6'), members.size]).toEqual([true, true, 2]);
    expect(members.systems).toEqual([LOINC]);
  });

  test.each([
    ['concept', 'is-a', 'mammal', ['mammal', 'cat', 'dog', 'bat']],
    ['concept', 'descendent-of', 'mammal', ['cat', 'dog', 'bat']],
    ['concept', 'is-not-a', 'mammal', ['bird', 'owl']],
    ['concept', 'generalizes', 'bat', ['mammal', 'bird', 'bat']],
    ['concept', '=', 'cat', ['cat']],
    ['concept', 'in', 'cat, owl,unicorn', ['cat', 'owl']],
    ['concept', 'not-in', 'cat,owl', ['mammal', 'dog', 'bird', 'bat']],
    ['code', 'regex', '.a.', ['cat', 'bat']],
    ['parent', '=', 'bird', ['owl', 'bat']],
    ['parent', 'exists', 'false', []],
    ['child', '=', 'bat', ['mammal', 'bird']],
    ['child', 'exists', 'true', ['mammal', 'bird']],
    ['legs', '=', '4', ['cat', 'dog']],
    ['legs', 'in', '2,4', ['cat', 'dog', 'owl', 'bat']],
    ['legs', 'not-in', '4', ['mammal', 'bird', 'owl', 'bat']],
    ['legs', 'exists', 'false', ['mammal', 'bird']],
    ['legs', 'regex', '[3-9]', ['cat', 'dog']],
  ])('a filter: %s %s %s', (property, op, value, codes) => {
    expect(filtered(property, op, value)).toEqual(codes);
  });

  test.each([
    ['concept', 'is-a', 'unicorn'],
    ['concept', 'exists', 'true'],
    ['wings', '=', '2'],
    ['legs', 'is-a', '2'],
    ['code', 'regex', '(a+)+b'],
    ['code', 'regex', '((a|a))+b'],
    ['code', 'regex', 'a?a?a?aaa'],
    ['code', 'regex', '(?=a)a'],
    ['code', 'regex', '('],
    ['code', 'regex', 'a'.repeat(300)],
  ])('not by a filter that cannot be applied: %s %s %s', (property, op, value) => {
    expect(filtered(property, op, value)).toEqual(expect.stringContaining(SYSTEM));
  });

  test('several filters at once, of which all hold', () => {
    const filter = [
      { property: 'concept', op: 'is-a' as const, value: 'mammal' },
      { property: 'legs', op: '=' as const, value: '2' },
    ];
    expect(expanded(aSet({ include: [{ system: SYSTEM, filter }] }))).toEqual(['bat']);
  });

  test('other sets: together in one part, or one beside the other', () => {
    const part = (name: string, codes: string[]): ValueSet =>
      aValueSet(name, {
        compose: { include: [{ system: SYSTEM, concept: codes.map((code) => ({ code })) }] },
      }) as ValueSet;
    const parts = [part('urn:a', ['cat', 'dog']), part('urn:b', ['dog', 'owl'])];
    expect(expanded(aSet({ include: [{ valueSet: ['urn:a', 'urn:b'] }] }), parts)).toEqual(['dog']);
    expect(expanded(aSet({ include: [{ valueSet: ['urn:a'] }, { valueSet: ['urn:b'] }] }), parts)).toEqual([
      'cat',
      'dog',
      'owl',
    ]);
    expect(expanded(aSet({ include: [{ valueSet: ['urn:a'] }], exclude: [{ valueSet: ['urn:b'] }] }), parts)).toEqual([
      'cat',
    ]);
    expect(expanded(aSet({ include: [{ system: OTHER, valueSet: ['urn:a'] }] }), parts)).toEqual([]);
    expect(expanded(aSet({ include: [{ system: SYSTEM, valueSet: ['urn:a'] }] }), parts, [])).toEqual(['cat', 'dog']);
  });

  test('everything but what is excluded', () => {
    const exclude = [{ system: SYSTEM, filter: [{ property: 'concept', op: 'is-a' as const, value: 'bird' }] }];
    expect(expanded(aSet({ include: [{ system: SYSTEM }], exclude }))).toEqual(['mammal', 'cat', 'dog']);
  });
});

describe('a set is not expanded, and says why', () => {
  test.each([
    ['a system that is not loaded', { include: [{ system: LOINC }] }, LOINC],
    ['a set that is not loaded', { include: [{ valueSet: ['urn:gone'] }] }, 'urn:gone'],
    ['an exclusion that is not known', { include: [{ system: SYSTEM }], exclude: [{ system: LOINC }] }, LOINC],
    ['a part that names nothing', { include: [{}] }, 'neither'],
    ['nothing at all', { include: [] }, 'no definition'],
  ])('%s', (_, compose, why) => {
    expect(expanded(aSet(compose))).toEqual(expect.stringContaining(why));
  });

  test('a set that contains itself, by whichever way', () => {
    const back = aValueSet('urn:back', {
      compose: { include: [{ valueSet: ['http://example.org/vs|1'] }] },
    }) as ValueSet;
    const why = expanded(aSet({ include: [{ valueSet: ['urn:back'] }] }, { version: '1' }), [back]);
    expect(why).toEqual(expect.stringContaining('contains itself'));
  });

  test('sets of sets of sets, without end', () => {
    const chain = Array.from(
      { length: 5000 },
      (_, index) =>
        aValueSet(`urn:${index}`, { compose: { include: [{ valueSet: [`urn:${index + 1}`] }] } }) as ValueSet,
    );
    expect(expanded(aSet({ include: [{ valueSet: ['urn:0'] }] }), chain)).toEqual(expect.stringContaining('deep'));
  });

  test.each(['fragment', 'example', 'not-present'])('the whole of a system of which a %s is loaded', (content) => {
    const partial = { ...animals, content } as CodeSystem;
    expect(expanded(aSet({ include: [{ system: SYSTEM }] }), [], [partial])).toEqual(expect.stringContaining(content));
    const listed = aSet({ include: [{ system: SYSTEM, concept: [{ code: 'cat' }] }] });
    expect(expanded(listed, [], [partial])).toEqual(['cat']);
  });

  test('the whole of a system of which only a supplement is loaded', () => {
    const supplement = { ...animals, content: 'supplement' } as CodeSystem;
    expect(expanded(aSet({ include: [{ system: SYSTEM }] }), [], [supplement])).toEqual(
      expect.stringContaining('not loaded'),
    );
  });
});

describe('an expansion that was made beforehand', () => {
  const contains = [
    { system: SYSTEM, code: 'cat' },
    { abstract: true, code: 'animal', contains: [{ system: SYSTEM, code: 'owl' }] },
  ];
  const expansion = { timestamp: '2026-01-01', contains };

  test('is used where there is no definition, or none that can be expanded', () => {
    expect(expanded(aValueSet('http://example.org/vs', { expansion }) as ValueSet)).toEqual(['cat', 'owl']);
    expect(expanded(aSet({ include: [{ system: LOINC }] }, { expansion }))).toEqual(['cat', 'owl']);
    expect(expanded(aSet({ include: [{ system: SYSTEM, concept: [{ code: 'dog' }] }] }, { expansion }))).toEqual([
      'dog',
    ]);
  });

  test.each([
    { total: 100 },
    { offset: 2 },
    { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/valueset-toocostly', valueBoolean: true }] },
  ])('is not used where it is only a part: %j', (more) => {
    const cut = aSet({ include: [{ system: LOINC }] }, { expansion: { ...expansion, ...more } });
    expect(expanded(cut)).toEqual(expect.stringContaining(LOINC));
  });
});

describe('versions', () => {
  const versioned = (version: string, code: string): ValueSet =>
    aSet({ include: [{ system: SYSTEM, concept: [{ code }] }] }, { version });
  const terminology = makeTerminology([
    { valueSets: [versioned('1.0.0', 'cat'), versioned('2.1.0', 'dog')], codeSystems: [animals] },
  ]);
  const has = (canonical: string, code: string): boolean | string => {
    const members = terminology.expand(canonical);
    return 'notExpanded' in members ? members.notExpanded : members.hasCode(code);
  };

  test('are asked for after a bar: the exact one, or one that differs in its last place', () => {
    expect(has('http://example.org/vs|1.0.0', 'cat')).toBe(true);
    expect(has('http://example.org/vs|2.1.0', 'dog')).toBe(true);
    expect(has('http://example.org/vs|2.1.5', 'dog')).toBe(true);
    expect(has('http://example.org/vs', 'cat')).toBe(true);
    expect(has('http://example.org/vs|3.0.0', 'cat')).toEqual(expect.stringContaining('|3.0.0 is not loaded'));
  });

  test('of a system that is not loaded in that version are not expanded', () => {
    const cs = { ...animals, version: '1.0.0' } as CodeSystem;
    const asked = (version: string): unknown => expanded(aSet({ include: [{ system: SYSTEM, version }] }), [], [cs]);
    expect(asked('1.0.3')).toContain('cat');
    expect(asked('9.0.0')).toEqual(expect.stringContaining('|9.0.0 is not loaded'));
  });
});

describe('case', () => {
  const membersWith = (caseSensitive: boolean | undefined): Members => {
    const { caseSensitive: _, ...rest } = animals;
    const cs = (caseSensitive === undefined ? rest : { ...rest, caseSensitive }) as CodeSystem;
    const set = aSet({ include: [{ system: SYSTEM, concept: [{ code: 'Cat' }] }] });
    return makeTerminology([{ valueSets: [set], codeSystems: [cs] }]).expand('http://example.org/vs') as Members;
  };

  test('does not matter to a pattern over codes in any case', () => {
    const anyCase = { ...animals, caseSensitive: false } as CodeSystem;
    const include = [{ system: SYSTEM, filter: [{ property: 'code', op: 'regex' as const, value: 'C.T' }] }];
    expect([expanded(aSet({ include })), expanded(aSet({ include }), [], [anyCase])]).toEqual([[], ['cat']]);
  });

  test('matters where the system says so, and nowhere else', () => {
    expect([membersWith(true).has(SYSTEM, 'Cat'), membersWith(true).has(SYSTEM, 'CAT')]).toEqual([true, false]);
    expect([membersWith(false).has(SYSTEM, 'CAT'), membersWith(undefined).hasCode('cAT')]).toEqual([true, true]);
  });
});

describe('whether a system has a code', () => {
  const terminology = makeTerminology([
    { valueSets: [], codeSystems: [animals, { ...animals, url: OTHER, content: 'fragment' }] },
  ]);

  test('is yes or no of a complete system, and otherwise not known', () => {
    expect([terminology.hasCode(SYSTEM, 'animal'), terminology.hasCode(SYSTEM, 'unicorn')]).toEqual(['yes', 'no']);
    expect([terminology.hasCode(OTHER, 'cat'), terminology.hasCode(OTHER, 'unicorn')]).toEqual(['yes', 'unknown']);
    expect(terminology.hasCode(LOINC, '1-8')).toBe('unknown');
  });

  test('is known of HL7 without any guide', () => {
    const none = makeTerminology([]);
    const v2 = 'http://terminology.hl7.org/CodeSystem/v2-0203';
    expect([none.hasCode(v2, 'MR'), none.hasCode(v2, 'bogus'), none.hasCode(v2, 'mr')]).toEqual(['yes', 'no', 'no']);
    expect(none.hasCode('http://hl7.org/fhir/administrative-gender', 'male')).toBe('yes');
    expect(none.hasCode('__proto__', 'x')).toBe('unknown');
  });
});

describe("HL7's own", () => {
  const none = makeTerminology([]);

  test('code systems are complete, and only those', () => {
    expect(hl7CodeSystem('http://terminology.hl7.org/CodeSystem/v3-NullFlavor')?.has('UNK')).toBe(true);
    expect(hl7CodeSystem(LOINC)).toBeUndefined();
    expect(hl7CodeSystem('constructor')).toBeUndefined();
  });

  test.each([
    ['http://hl7.org/fhir/ValueSet/ucum-bodyweight|4.0.1', 'http://unitsofmeasure.org', 'kg', 'mg'],
    ['http://hl7.org/fhir/ValueSet/observation-status', 'http://hl7.org/fhir/observation-status', 'final', 'done'],
    ['http://hl7.org/fhir/ValueSet/currencies|4.0.1', 'urn:iso:std:iso:4217', 'EUR', 'XYZ'],
    [
      'http://terminology.hl7.org/ValueSet/v3-PurposeOfUse',
      'http://terminology.hl7.org/CodeSystem/v3-ActReason',
      'TREAT',
      'X',
    ],
  ])('value set %s is expanded without any guide', (url, system, yes, no) => {
    const members = none.expand(url) as Members;
    expect([members.has(system, yes), members.has(system, no), members.hasCode(yes)]).toEqual([true, false, true]);
  });

  test('value sets are known as such', () => {
    expect(none.isValueSet('http://hl7.org/fhir/ValueSet/observation-status')).toBe(true);
    expect(none.isValueSet('http://hl7.org/fhir/observation-status')).toBe(false);
  });
});

test('the required sets of the International Patient Summary are expanded', async () => {
  const ips = await readIps();
  const terminology = makeTerminology([ips]);
  const bound = ips.structures.flatMap(({ snapshot }) =>
    (snapshot?.element ?? []).flatMap(({ binding }) =>
      binding?.strength === 'required' ? [binding.valueSet ?? ''] : [],
    ),
  );
  const missing = [...new Set(bound)].filter((url) => 'notExpanded' in terminology.expand(url));
  expect(missing).toEqual([]);
});

describe('properties', () => {
  const aCode = fc.constantFrom(...ALL);
  const aFilter = fc.record({
    property: fc.constant('concept'),
    op: fc.constantFrom('is-a', 'descendent-of', 'is-not-a', 'generalizes', '='),
    value: aCode,
  });
  const anInclude = fc.oneof(
    fc.record({
      system: fc.constant(SYSTEM),
      concept: fc.array(
        aCode.map((code) => ({ code })),
        { minLength: 1 },
      ),
    }),
    fc.record({ system: fc.constant(SYSTEM), filter: fc.array(aFilter, { minLength: 1, maxLength: 2 }) }),
  ) as fc.Arbitrary<ValueSetCompose['include'][number]>;
  const membersOf = (compose: ValueSetCompose): string[] => expanded(aSet(compose)) as string[];

  test('a set is the union of its parts, without what it excludes', () => {
    fc.assert(
      fc.property(
        fc.array(anInclude, { minLength: 1, maxLength: 4 }),
        fc.array(anInclude, { maxLength: 3 }),
        (include, exclude) => {
          const within = new Set(include.flatMap((one) => membersOf({ include: [one] })));
          const without = new Set(exclude.flatMap((one) => membersOf({ include: [one] })));
          const expected = ALL.filter((code) => within.has(code) && !without.has(code));
          expect(membersOf({ include, exclude })).toEqual(expected);
        },
      ),
    );
  });

  test('what is-a and is-not-a leave is everything, and nothing twice', () => {
    fc.assert(
      fc.property(aCode, (code) => {
        const one = filtered('concept', 'is-a', code) as string[];
        const other = filtered('concept', 'is-not-a', code) as string[];
        expect([...one, ...other].sort()).toEqual(ALL.filter((each) => each !== 'animal').sort());
      }),
    );
  });
});
