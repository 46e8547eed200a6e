import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeSnapshot } from '../../../../src/r4/guides/make-snapshot.ts';
import { readGuidePackage } from '../../../../src/r4/guides/read-package.ts';
import { makeTerminology } from '../../../../src/r4/guides/terminology.ts';
import { howMany } from '../../../support/how-much.ts';
import { aCodeSystem, aStructure, aValueSet, makePackage } from './make-package.ts';

const PROFILE = 'http://example.org/StructureDefinition/profile';
const SET = 'http://example.org/ValueSet/set';
const SYSTEM = 'http://example.org/CodeSystem/system';

const definitions = [
  aStructure(PROFILE, {
    type: 'Observation',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Observation',
    differential: {
      element: [
        {
          id: 'Observation.component',
          path: 'Observation.component',
          slicing: { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' },
        },
        { id: 'Observation.component:a', path: 'Observation.component', sliceName: 'a', min: 1 },
        {
          id: 'Observation.component:a.valueQuantity.code',
          path: 'Observation.component.valueQuantity.code',
          fixedCode: 'mm',
          binding: { strength: 'required', valueSet: SET },
          constraint: [{ key: 'k', severity: 'error', human: 'k', expression: 'true' }],
        },
        { id: 'Observation.code', path: 'Observation.code', type: [{ code: 'CodeableConcept', profile: [PROFILE] }] },
        { id: 'Observation.code.coding.system', path: 'Observation.code.coding.system', fixedUri: 'http://loinc.org' },
      ],
    },
  }),
  aValueSet(SET, {
    compose: {
      include: [
        { system: SYSTEM, filter: [{ property: 'concept', op: 'is-a', value: 'a' }] },
        { system: SYSTEM, concept: [{ code: 'c' }] },
        { valueSet: [`${SET}|1`] },
      ],
      exclude: [{ system: SYSTEM, concept: [{ code: 'b' }] }],
    },
    expansion: { timestamp: '2026-01-01', total: 1, contains: [{ system: SYSTEM, code: 'c' }] },
  }),
  aCodeSystem(SYSTEM, {
    concept: [{ code: 'a', concept: [{ code: 'b' }], property: [{ code: 'parent', valueCode: 'b' }] }, { code: 'c' }],
  }),
];

type Way = readonly (string | number)[];

/** Every place of a value, outermost first. */
function waysOf(value: unknown, way: Way = []): Way[] {
  if (typeof value !== 'object' || value === null) return [way];
  return [
    way,
    ...Object.entries(value).flatMap(([key, one]) => waysOf(one, [...way, Array.isArray(value) ? Number(key) : key])),
  ];
}

function put(value: unknown, [key, ...rest]: Way, junk: unknown): unknown {
  if (key === undefined) return junk;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = put(copy[key], rest, junk);
  return copy;
}

const WAYS = waysOf(definitions).filter((way) => way.length > 1);
const junk = fc.oneof(
  fc.constantFrom(PROFILE, SET, SYSTEM, 'Observation', 'Observation.code.text', 'a', '*', '', '__proto__', -1, 2 ** 40),
  fc.jsonValue({ maxDepth: 2 }),
);

test('a guide with any damage is read and used, or refused, and never throws', async () => {
  let used = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...WAYS), junk), { minLength: 1, maxLength: 3 }),
      async (changes) => {
        let damaged: unknown = definitions;
        for (const [way, value] of changes)
          if (waysOf(damaged).some((one) => String(one) === String(way))) damaged = put(damaged, way, value);
        const files = Object.fromEntries(
          Object.entries(damaged as object).map(([index, one]) => [`package/${index}.json`, JSON.stringify(one)]),
        );
        const read = await readGuidePackage(makePackage(files));
        if (!read.ok) return;
        const { structures, valueSets } = read.value;
        const terminology = makeTerminology([read.value]);
        for (const { url = '' } of valueSets) terminology.expand(url);
        for (const one of structures) {
          const made = makeSnapshot(one, (canonical) => structures.find(({ url }) => url === canonical));
          if (!made.ok) expect(made.problems.every(({ code, text }) => code !== '' && text !== '')).toBe(true);
        }
        used++;
      },
    ),
    { numRuns: howMany(400, 4000) },
  );
  expect(used).toBeGreaterThan(20);
});
