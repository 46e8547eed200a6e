import type { Clock, Log } from '../kernel/index.ts';
import { makePersons, personSet, refreshPersons, type Persons, type ReadByMrn } from '../persons/index.ts';
import type { Store } from '../store/index.ts';

/** Makes the index of the linked patients, and what keeps it fresh once the read API says how the EHR is asked. */
export function makePersonsPart(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}): { readonly index: Persons; refreshing(readByMrn: ReadByMrn): ReturnType<typeof refreshPersons> } {
  const persons = deps.store.use(personSet);
  const index = makePersons({ ...deps, persons });
  return { index, refreshing: (readByMrn) => refreshPersons({ ...deps, persons, index, readByMrn }) };
}
