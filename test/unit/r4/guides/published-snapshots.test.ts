import { beforeAll, describe, expect, test } from '@jest/globals';
import type { StructureDefinition } from '@medplum/fhirtypes';
import { makeSnapshot } from '../../../../src/r4/guides/make-snapshot.ts';
import { compareSnapshots, type Difference } from './compare-snapshots.ts';
import { medplumStructures, readIps, readLocalGuides } from './published-guides.ts';

/**
 * The one property of `makeSnapshot`: from a published profile's differential it makes the published snapshot. Where it
 * does not, this list says why, and who is right.
 */
const EXPLAINED: Readonly<Record<string, (one: Difference) => boolean>> = {
  // R4 itself and US Core 3.1.1 read `valueQuantity` as "no other type". US Core 6.1.0 reads it as we do: naming a type
  // does not exclude the others. That HL7 means it so is inferred from the newer snapshots, and from Firely's account of
  // the request FHIR-12259; the request itself was not read.
  'a value of a choice that is not required closes the choice': ({ what, id, ours, theirs }) =>
    id.endsWith('[x]') &&
    ((what === 'slicing' && ours === 'type:$this open false' && theirs === 'type:$this closed false') ||
      (what === 'types' && ours.split('|').includes(theirs))),
  // R4's snapshots leave the choice optional though its only value is required. They mean the same.
  'a required value of a choice makes the choice required': ({ what, id, ours, theirs }) =>
    what === 'min' && id.endsWith('[x]') && ours === '1' && theirs === '0',
  // A slice has what is said of every item. Publishers copy it into the slice or not, by their year. They mean the same.
  'a slice repeats what is said of every item': ({ what, id, ours, theirs }) =>
    id.includes(':') && ((what === 'types' && isInherited(ours, theirs)) || (what === 'constraints' && theirs === '')),
  // Some snapshots unfold the extensions of an extension that nobody constrains. They mean the same.
  'an extension that nobody constrains is unfolded': ({ what, id, ours }) =>
    what === 'element' && ours === 'missing' && /extension(?::\w+)?\.(?:id|extension|url|value\[x\])$/.test(id),
};

const isInherited = (ours: string, theirs: string): boolean =>
  /^CodeableConcept</.test(ours)
    ? theirs === 'CodeableConcept<>()'
    : /^Reference<>/.test(ours) && /^Reference<>/.test(theirs);

/** Published profiles that contradict themselves, or whose base is of a guide that is not there. */
const REFUSED: Readonly<Record<string, string>> = {
  'familymemberhistory-genetic': 'slicing-missing',
  catalog: 'slicing-missing',
  'codesystem-history': 'cardinality-loosened',
  'us-core-questionnaireresponse': 'base-missing',
};

const core = [...medplumStructures('profiles-others.json'), ...medplumStructures('extension-definitions.json')];
const smoking = medplumStructures('testing/uscore-v7.0.0-smoking-status.json');
const groups = new Map<string, readonly StructureDefinition[]>([
  ['R4', core],
  ['US Core 7 smoking status', smoking],
]);

beforeAll(async () => {
  for (const guide of [await readIps(), ...(await readLocalGuides())])
    groups.set(`${guide.name}@${guide.version}`, guide.structures);
});

/** Every profile of a group, made anew. `keepSnapshots`: whether the bases keep the snapshots that they came with. */
function remake(structures: readonly StructureDefinition[], bases: 'published' | 'made') {
  const strip = ({ snapshot: _, ...rest }: StructureDefinition): StructureDefinition => rest;
  const known = new Map(
    [...core, ...structures].map((one) => [
      one.url,
      bases === 'made' && one.differential !== undefined && REFUSED[one.id ?? ''] === undefined ? strip(one) : one,
    ]),
  );
  const profiles = structures.filter((one) => one.derivation === 'constraint' && one.differential !== undefined);
  return profiles.map((profile) => ({ profile, made: makeSnapshot(profile, (canonical) => known.get(canonical)) }));
}

function judge(bases: 'published' | 'made') {
  const refused: Record<string, string> = {};
  const explained = new Map<string, number>();
  const unexplained: Difference[] = [];
  let elements = 0;
  const different = new Set<string>();
  for (const structures of groups.values())
    for (const { profile, made } of remake(structures, bases)) {
      if (!made.ok) {
        refused[profile.id ?? ''] = made.problems[0]?.code ?? '';
        continue;
      }
      const compared = compareSnapshots(profile, made.value);
      elements += compared.elements;
      for (const one of compared.differences) {
        different.add(`${one.profile} ${one.id}`);
        const why = Object.entries(EXPLAINED).find(([, holds]) => holds(one))?.[0];
        if (why === undefined) unexplained.push(one);
        else explained.set(why, (explained.get(why) ?? 0) + 1);
      }
    }
  return { refused, explained, unexplained, elements, different: different.size };
}

describe('a snapshot made from a differential is the published one', () => {
  test('in what matters, but for the differences that are explained, in more than 99 of 100 elements', () => {
    const { refused, unexplained, elements, different } = judge('published');
    expect(unexplained).toEqual([]);
    expect(elements).toBeGreaterThan(7500);
    expect(different / elements).toBeLessThan(0.01);
    for (const [id, code] of Object.entries(refused)) expect([id, REFUSED[id]]).toEqual([id, code]);
    expect(Object.keys(refused)).toEqual(expect.arrayContaining(['catalog', 'codesystem-history']));
  });

  test('also where the bases lack theirs', () => {
    const { unexplained } = judge('made');
    expect(unexplained).toEqual([]);
  });
});
