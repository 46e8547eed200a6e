import { createHash } from 'node:crypto';
import { fail, fault, faultFields, ok, type Clock, type Log, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { PersonReads, PersonRow, PersonWrites } from './commands.ts';
import { factsOf, type Condition, type PersonFacts } from './facts.ts';
import { makeMemoryIndex, type FoundPersons } from './memory-index.ts';
import { readOrder, type PersonPlace } from './order-persons.ts';

export interface WantedPersons {
  readonly is: Condition;
  /** `family`, `-birthdate`, several with commas; null: by name. */
  readonly sort: string | null;
  readonly after: PersonPlace | null;
  readonly limit: number;
}

/** The patients with a confirmed link, found by what the EHR last said of them. */
export interface Persons {
  /**
   * Those who meet the condition and have a link now. What the EHR says of them by now may be something else: whoever
   * shows them reads them there.
   */
  find(wanted: WantedPersons): Promise<Result<FoundPersons>>;
  /** Tells of a Patient that the EHR has just sent, whoever asked for it. */
  notice(patient: unknown, mrns: readonly string[]): void;
  /** Tells that these are not what was found here: the EHR is asked for them again soon. */
  doubt(ids: readonly string[]): void;
  /** Empties the memory where nobody has searched for long, and follows the changes where somebody has. */
  tend(): Promise<void>;
}

/** Above this, the index would take more memory than a search for a name is worth. */
export const PERSONS_MAX = 300_000;
const PAGE = 500;
/** What nobody has asked for so long is dropped, and read again when somebody does. */
const IDLE_MS = 30 * 60_000;
/** Whoever has not followed for so long may have missed the end of a link, which is told for a day. */
const FOLLOWED_MAX_MS = 60 * 60_000;
const NOTICED_MAX = 5_000;
const NOTICING_MAX = 32;

export function makePersons(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly persons: Operate<PersonWrites, PersonReads>;
  readonly clock: Clock;
  readonly log: Log;
}): Persons {
  const { tenant, mrnSystem, persons, clock, log } = deps;
  const index = makeMemoryIndex();
  /** The last change that is in memory; null: nothing is. */
  let version: number | null = null;
  let followedMs = 0;
  let askedMs = 0;
  let following: Promise<Result<null>> | null = null;

  function drop(): void {
    index.clear();
    version = null;
  }

  async function load(): Promise<Result<null>> {
    drop();
    const state = await persons.read('persons.state', { tenant });
    if (!state.ok) return state;
    if (state.value.count > PERSONS_MAX) return fail(fault('read.too-many-persons'));
    let after: string | null = null;
    for (;;) {
      const page: Result<readonly PersonRow[]> = await persons.read('persons.walk', { tenant, after, limit: PAGE });
      if (!page.ok) return page;
      for (const row of page.value) index.put(row);
      if (page.value.length < PAGE) break;
      after = page.value.at(-1)?.mrnIndex ?? null;
    }
    ({ version } = state.value);
    return ok(null);
  }

  /** What was committed before this call is in memory when it ends well. */
  async function follow(): Promise<Result<null>> {
    const startedMs = clock.monotonicMs();
    if (version === null || startedMs - followedMs > FOLLOWED_MAX_MS) {
      const loaded = await load();
      if (!loaded.ok) return loaded;
    }
    let mrnIndex: string | null = null;
    for (;;) {
      const at: number = version ?? 0;
      const page: Result<readonly PersonRow[]> = await persons.read('persons.since', {
        tenant,
        version: at,
        mrnIndex,
        limit: PAGE,
      });
      if (!page.ok) return page;
      for (const row of page.value) index.put(row);
      const last = page.value.at(-1);
      if (last !== undefined) {
        version = last.version;
        ({ mrnIndex } = last);
      }
      if (page.value.length < PAGE) break;
    }
    followedMs = startedMs;
    return index.size() > PERSONS_MAX ? fail(fault('read.too-many-persons')) : ok(null);
  }

  /** One at a time; who comes while one is under way may have changed something since it began, and has the next. */
  async function followed(): Promise<Result<null>> {
    const before = following;
    if (before !== null) {
      await before;
      if (following !== null && following !== before) return following;
    }
    following = follow().finally(() => (following = null));
    return following;
  }

  /** By the digest of what was noticed last, so that reading the same Patient again costs nothing. */
  const noticed = new Map<string, string>();
  let noticing = 0;

  async function keep(facts: PersonFacts, mrns: readonly string[]): Promise<void> {
    noticing += 1;
    try {
      const kept = await persons.writeBehind('persons.notice', { tenant, mrnSystem, mrns, facts });
      if (!kept.ok) {
        noticed.delete(facts.id);
        log.debug('persons.not-kept', faultFields(kept.fault));
      }
    } finally {
      noticing -= 1;
    }
  }

  return {
    async find({ is, sort, after, limit }) {
      const order = readOrder(sort);
      if (order === null) return fail(fault('read.person-parameter', { at: '_sort' }));
      askedMs = clock.monotonicMs();
      const fresh = await followed();
      return fresh.ok ? ok(await index.find(is, order, after, limit)) : fresh;
    },
    notice(patient, mrns) {
      const facts = factsOf(patient);
      if (facts === null || mrns.length === 0 || noticing >= NOTICING_MAX) return;
      const digest = createHash('sha256')
        .update(JSON.stringify([facts, mrns]))
        .digest('base64');
      if (noticed.get(facts.id) === digest) return;
      if (noticed.size >= NOTICED_MAX) noticed.clear();
      noticed.set(facts.id, digest);
      void keep(facts, mrns);
    },
    doubt(ids) {
      const mrnIndexes = ids.flatMap((id) => index.mrnIndexesOf(id));
      for (const id of ids) noticed.delete(id);
      if (mrnIndexes.length > 0) void persons.writeBehind('persons.doubt', { tenant, mrnIndexes });
    },
    async tend() {
      if (version === null) return;
      if (clock.monotonicMs() - askedMs > IDLE_MS) drop();
      else await followed();
    },
  };
}
