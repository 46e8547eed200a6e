import { setImmediate as breathe } from 'node:timers/promises';
import type { PersonRow } from './commands.ts';
import { toPerson, type Condition, type Person } from './facts.ts';
import { makeFirst, type Order, type PersonPlace } from './order-persons.ts';

/** So many are looked at before others get their turn: a few milliseconds by as many alternatives as are taken. */
const SLICE = 500;

export interface FoundPersons {
  readonly persons: readonly Person[];
  /** How many there are in all, on this page and on the others. */
  readonly total: number;
  /** Where the next page begins; null: there is none. */
  readonly next: PersonPlace | null;
}

/** Mostly one, and then without the weight of a list. */
type OneOrMore = string | readonly string[];
const listOf = (some: OneOrMore | undefined): readonly string[] =>
  some === undefined ? [] : typeof some === 'string' ? [some] : some;
const packed = (all: readonly string[]): OneOrMore => (all.length === 1 ? (all[0] ?? all) : all);

/** The linked patients in clear, in the memory of this process alone. */
export function makeMemoryIndex() {
  /** Who is known under an MRN, by their ids at the EHR. */
  const ids = new Map<string, OneOrMore>();
  /** One Patient may have several MRNs that are linked; the last word on it counts. */
  let people = new Map<string, { person: Person; mrns: OneOrMore }>();

  function forget(mrnIndex: string, id: string): void {
    const known = people.get(id);
    if (known === undefined) return;
    const left = listOf(known.mrns).filter((one) => one !== mrnIndex);
    if (left.length === 0) people.delete(id);
    else known.mrns = packed(left);
  }

  return {
    size: () => people.size,
    clear(): void {
      ids.clear();
      // Another one: whoever is looking through this one sees all of it.
      people = new Map();
    },
    put({ mrnIndex, facts }: PersonRow): void {
      const now = facts.map(({ id }) => id);
      for (const id of listOf(ids.get(mrnIndex))) if (!now.includes(id)) forget(mrnIndex, id);
      if (now.length === 0) ids.delete(mrnIndex);
      else ids.set(mrnIndex, packed(now));
      for (const one of facts) {
        const known = people.get(one.id);
        if (known === undefined) people.set(one.id, { person: toPerson(one), mrns: mrnIndex });
        else {
          known.person = toPerson(one);
          if (!listOf(known.mrns).includes(mrnIndex)) known.mrns = [...listOf(known.mrns), mrnIndex];
        }
      }
    },
    mrnIndexesOf: (id: string): readonly string[] => listOf(people.get(id)?.mrns),
    async find(is: Condition, order: Order, after: PersonPlace | null, limit: number): Promise<FoundPersons> {
      const first = makeFirst(order, after, limit + 1);
      let [total, seen] = [0, 0];
      for (const { person } of people.values()) {
        if (is(person)) {
          total += 1;
          first.take(person);
        }
        seen += 1;
        if (seen % SLICE === 0) await breathe();
      }
      const best = first.end();
      const page = best.slice(0, limit);
      return {
        persons: page.map(({ person }) => person),
        total,
        next: best.length > limit ? (page.at(-1)?.place ?? null) : null,
      };
    },
  };
}
export type MemoryIndex = ReturnType<typeof makeMemoryIndex>;
