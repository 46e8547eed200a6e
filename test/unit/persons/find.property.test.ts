import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { factsOf, toPerson } from '../../../src/persons/index.ts';
import { readConditions } from '../../../src/smart/person-conditions.ts';
import { makeMemoryIndex } from '../../../src/persons/memory-index.ts';
import { readOrder, type PersonPlace } from '../../../src/persons/order-persons.ts';
import { howMany } from '../../support/how-much.ts';

/*
 * What the index finds is what a plain look at every Patient finds. The plain look is written here from R4's words, in
 * another way: it reads the resource, field by field, and counts days.
 */

interface Name {
  readonly use?: string;
  readonly family?: string;
  readonly given?: readonly string[];
  readonly prefix?: readonly string[];
  readonly text?: string;
}
interface Patient {
  readonly resourceType: 'Patient';
  readonly id: string;
  readonly name: readonly Name[];
  readonly birthDate?: string;
  readonly gender?: string;
  readonly identifier: readonly { readonly system?: string; readonly value?: string }[];
}

const WORDS = ['Ann', 'ann', 'Anna', 'Müller', 'Muller', 'muller', 'van Berg', 'Berg', 'Øre', 'É', 'Zoë', 'a'];
const DATES = ['1970', '1970-05', '1970-05-01', '1970-05-31', '1970-06-01', '1971', '2000-02-29', '1999-12-31'];
const word = fc.constantFrom(...WORDS);
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const nameOf: fc.Arbitrary<Name> = fc.record(
  {
    use: fc.constantFrom('official', 'usual', 'old'),
    family: word,
    given: fc.array(word, { maxLength: 2 }),
    prefix: fc.array(word, { maxLength: 1 }),
    text: word,
  },
  { requiredKeys: [] },
);
const identifier = fc.record(
  { system: fc.constantFrom('urn:a', 'urn:b'), value: fc.constantFrom('1', '2', '12') },
  { requiredKeys: [] },
);
const people: fc.Arbitrary<Patient[]> = fc
  .array(
    fc.record({
      name: fc.array(nameOf, { maxLength: 2 }),
      birthDate: maybe(fc.constantFrom(...DATES)),
      gender: maybe(fc.constantFrom('male', 'female', 'unknown')),
      identifier: fc.array(identifier, { maxLength: 2 }),
    }),
    { maxLength: 25 },
  )
  .map((all) =>
    all.map(({ birthDate, gender, ...rest }, n) => ({
      resourceType: 'Patient' as const,
      id: `p${n}`,
      ...rest,
      ...(birthDate === undefined ? {} : { birthDate }),
      ...(gender === undefined ? {} : { gender }),
    })),
  );

const clause: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(...['name', 'family', 'given'].flatMap((one) => [one, `${one}:exact`, `${one}:contains`])),
    fc.array(word, { minLength: 1, maxLength: 2 }).map((all) => all.join(',')),
  ),
  fc.tuple(
    fc.constant('birthdate'),
    fc.tuple(fc.constantFrom('', 'eq', 'ge', 'le', 'gt', 'lt'), fc.constantFrom(...DATES)).map((both) => both.join('')),
  ),
  fc.tuple(fc.constantFrom('gender', 'gender:not'), fc.constantFrom('male', 'female', 'male,female')),
  fc.tuple(fc.constant('identifier'), fc.constantFrom('1', 'urn:a|1', 'urn:b|', '|2', 'urn:a|12,2')),
  fc.tuple(fc.constant('_id'), fc.constantFrom('p1', 'p1,p3,x')),
  fc.tuple(fc.constantFrom('birthdate:missing', 'gender:missing', 'family:missing'), fc.constantFrom('true', 'false')),
);

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ø', 'o');
const fieldsOf = (patient: Patient, of: string): string[] =>
  patient.name.flatMap((name) => {
    const family = name.family === undefined ? [] : [name.family];
    const text = name.text === undefined ? [] : [name.text];
    if (of === 'family') return family;
    if (of === 'given') return [...(name.given ?? [])];
    return [...family, ...(name.given ?? []), ...(name.prefix ?? []), ...text];
  });
/** First and last moment, in days since 1970. */
function spanOf(date: string): [number, number] {
  const [year = 0, month, day] = date.split('-').map(Number);
  const from = Date.UTC(year, (month ?? 1) - 1, day ?? 1);
  const to = day !== undefined ? from : month !== undefined ? Date.UTC(year, month, 0) : Date.UTC(year, 11, 31);
  return [from / 86_400_000, to / 86_400_000];
}
function holds(patient: Patient, key: string, value: string): boolean {
  const [name = '', modifier] = key.split(':');
  const alternatives = value.split(',');
  if (modifier === 'missing') {
    const has =
      name === 'family'
        ? fieldsOf(patient, 'family').length > 0
        : (name === 'birthdate' ? patient.birthDate : patient.gender) !== undefined;
    return has === (value === 'false');
  }
  if (name === '_id') return alternatives.includes(patient.id);
  if (name === 'gender') return alternatives.includes(patient.gender ?? '') !== (modifier === 'not');
  if (name === 'birthdate') {
    const prefix = /^[a-z]{2}/.exec(value)?.[0] ?? 'eq';
    if (patient.birthDate === undefined) return false;
    const [[a, b], [from, to]] = [spanOf(patient.birthDate), spanOf(value.replace(/^[a-z]{2}/, ''))];
    const isIn = a >= from && b <= to;
    return { eq: isIn, ge: isIn || b > to, gt: b > to, le: isIn || a < from, lt: a < from }[prefix] ?? false;
  }
  if (name === 'identifier')
    return alternatives.some((one) =>
      patient.identifier.some(({ system = '', value: number = '' }) => {
        if (!one.includes('|')) return number === one;
        const [wantedSystem, wantedNumber] = one.split('|');
        return system === wantedSystem && (wantedNumber === '' || number === wantedNumber);
      }),
    );
  return alternatives.some((wanted) =>
    fieldsOf(patient, name).some((field) =>
      modifier === 'exact'
        ? field === wanted
        : modifier === 'contains'
          ? plain(field).includes(plain(wanted))
          : plain(field).startsWith(plain(wanted)),
    ),
  );
}

const rowOf = (patient: Patient, version = 1) => {
  const facts = factsOf(patient);
  if (facts === null) throw new Error('no facts');
  return { mrnIndex: patient.id, version, facts: [facts] };
};

describe('the index', () => {
  test('finds whom a plain look at every Patient finds, page by page, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        people,
        fc.array(clause, { maxLength: 3 }),
        fc.constantFrom(null, 'family', '-name', 'birthdate', '-birthdate,name', '_id'),
        fc.integer({ min: 1, max: 5 }),
        async (all, clauses, sort, limit) => {
          const index = makeMemoryIndex();
          for (const one of all) index.put(rowOf(one));
          const is = readConditions(clauses);
          const order = readOrder(sort);
          if (!is.ok || order === null) throw new Error('not read');
          const expected = all
            .filter((one) => clauses.every(([key, value]) => holds(one, key, value)))
            .map(({ id }) => id);
          const seen: string[] = [];
          let after: PersonPlace | null = null;
          do {
            const page: Awaited<ReturnType<typeof index.find>> = await index.find(is.value, order, after, limit);
            expect(page.total).toBe(expected.length);
            expect(page.persons.length).toBeLessThanOrEqual(limit);
            seen.push(...page.persons.map(({ id }) => id));
            after = page.next;
          } while (after !== null);
          expect([...seen].sort()).toEqual([...expected].sort());
          const whole = await index.find(is.value, order, null, 1_000);
          expect(whole.persons.map(({ id }) => id)).toEqual(seen);
        },
      ),
      { numRuns: howMany(100, 1_000) },
    );
  });

  test('after any changes is as one that was made anew', async () => {
    await fc.assert(
      fc.asyncProperty(people, people, fc.array(fc.nat(30)), async (before, after, removed) => {
        const [changed, anew] = [makeMemoryIndex(), makeMemoryIndex()];
        const anyone = readConditions([]);
        const order = readOrder(null);
        if (!anyone.ok || order === null) throw new Error('not read');
        for (const one of [...before, ...after]) changed.put(rowOf(one));
        for (const n of removed) changed.put({ mrnIndex: `p${n}`, version: 3, facts: [] });
        const last = new Map([...before, ...after].map((one) => [one.id, one]));
        for (const n of removed) last.delete(`p${n}`);
        for (const one of last.values()) anew.put(rowOf(one));
        const of = async (index: typeof anew) => (await index.find(anyone.value, order, null, 1_000)).persons;
        expect(await of(changed)).toEqual(await of(anew));
      }),
      { numRuns: howMany(50, 500) },
    );
  });

  test('keeps a Patient of two MRNs until both are gone, once', async () => {
    const index = makeMemoryIndex();
    const facts = factsOf({ resourceType: 'Patient', id: 'a' });
    const anyone = readConditions([]);
    const order = readOrder(null);
    if (facts === null || !anyone.ok || order === null) throw new Error('not read');
    const total = async () => (await index.find(anyone.value, order, null, 5)).total;
    for (const mrnIndex of ['1', '2']) index.put({ mrnIndex, version: 1, facts: [facts] });
    expect([await total(), index.mrnIndexesOf('a')]).toEqual([1, ['1', '2']]);
    index.put({ mrnIndex: '1', version: 2, facts: [] });
    expect(await total()).toBe(1);
    index.put({ mrnIndex: '2', version: 3, facts: [] });
    expect([await total(), index.size()]).toEqual([0, 0]);
  });

  test('what a value cannot be is refused by the name of its parameter', () => {
    for (const [key, value] of [
      ['birthdate', 'ap1970'],
      ['birthdate', 'yesterday'],
      ['address', 'x'],
      ['identifier', '|'],
      ['name:not', 'x'],
    ] as const) {
      const read = readConditions([[key, value]]);
      expect(read.ok ? null : [read.fault.code, read.fault.at]).toEqual(['read.person-parameter', key.split(':')[0]]);
    }
    expect(readOrder('language')).toBeNull();
    expect(toPerson(factsOf({ resourceType: 'Patient', id: 'a' }) ?? ({} as never)).sortName).toBe('');
  });
});
