import type { Person } from './facts.ts';

/** What people are sorted by: `-` before it turns it round. Equal ones follow by name, then by id. */
const KEYS: Readonly<Record<string, (person: Person) => string>> = {
  name: ({ sortName }) => sortName,
  family: ({ sortName }) => sortName,
  // Who has none comes last.
  birthdate: ({ birthDate }) => (birthDate === '' ? '~' : birthDate),
  _id: ({ id }) => id,
};
export const PERSON_SORTS: readonly string[] = Object.keys(KEYS);

export type Order = readonly { readonly key: (person: Person) => string; readonly sign: 1 | -1 }[];

/** Null where it names something else. Without a wish people are in the order of their names. */
export function readOrder(sort: string | null): Order | null {
  const order = (sort ?? 'name').split(',').map((one) => ({
    key: KEYS[one.replace(/^-/, '')],
    sign: one.startsWith('-') ? (-1 as const) : (1 as const),
  }));
  if (!order.every(({ key }) => key !== undefined)) return null;
  return [...(order as Order), { key: ({ sortName }) => sortName, sign: 1 }, { key: ({ id }) => id, sign: 1 }];
}

/** Where somebody stands in an order: what comes after is found again though people came and went meanwhile. */
export type PersonPlace = readonly string[];

export const placeOf = (person: Person, order: Order): PersonPlace => order.map(({ key }) => key(person));

export function comparePlaces(a: PersonPlace, b: PersonPlace, order: Order): number {
  for (const [i, { sign }] of order.entries()) {
    const [x = '', y = ''] = [a[i], b[i]];
    if (x !== y) return x < y ? -sign : sign;
  }
  return 0;
}

/** The first few of many, without sorting all of them. */
export function makeFirst(order: Order, after: PersonPlace | null, limit: number) {
  let best: { readonly person: Person; readonly place: PersonPlace }[] = [];
  let worst: PersonPlace | null = null;
  const cut = (): void => {
    best = best.sort((a, b) => comparePlaces(a.place, b.place, order)).slice(0, limit);
    worst = best.length < limit ? null : (best.at(-1)?.place ?? null);
  };
  return {
    take(person: Person): void {
      const place = placeOf(person, order);
      if (after !== null && comparePlaces(place, after, order) <= 0) return;
      if (worst !== null && comparePlaces(place, worst, order) >= 0) return;
      best.push({ person, place });
      if (best.length >= 2 * limit) cut();
    },
    end() {
      cut();
      return best;
    },
  };
}
