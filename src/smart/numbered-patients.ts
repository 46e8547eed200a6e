import type { OwnAddress, Pairs } from '../ehr/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import { alongWith } from './along-with.ts';
import type { BundlePage, EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import type { Judge } from './judge.ts';
import { LIMITS } from './parse-search.ts';
import type { Served } from './served-types.ts';
import { whose } from './whose.ts';

const PAGES_MAX = 5;
/** As many ids as a cursor has room for. */
const LATER_MAX = 100;

/**
 * Patients that were asked for by their numbers, each of whom is seen for itself. They are fetched to the end and paged
 * here: whether the EHR has a next page, and whom it puts first, would tell of those who are not shown.
 */
export function makeNumberedPatients(deps: {
  readonly reader: EhrReader;
  readonly judge: Judge;
  readonly served: Served;
  readonly ehrBase: string;
}) {
  const { reader, judge, served, ehrBase } = deps;

  async function matchesSeen(entries: readonly Checked[], caller: Caller): Promise<Result<Checked[]>> {
    const seen: Checked[] = [];
    for (const entry of entries) {
      if (entry.mode !== 'match') continue;
      const sight = await judge.sees(entry.resource, ['s'], caller);
      if (!sight.ok) return sight;
      if (sight.value.kind === 'seen') seen.push(entry);
    }
    return ok(seen);
  }

  /** A record of a patient is judged for itself: what shows the Patient need not show it. */
  async function alongSeen(
    matches: readonly Checked[],
    entries: readonly Checked[],
    caller: Caller,
  ): Promise<Result<readonly Checked[]>> {
    const ids = new Set(matches.map(({ resource: { id } }) => id));
    const along: Checked[] = [];
    for (const entry of alongWith(matches, entries, ehrBase)) {
      const of = whose(entry.resource, served, ehrBase);
      if (of.kind === 'patient') {
        if (!ids.has(of.id)) continue;
        const sight = await judge.sees(entry.resource, ['r', 's'], caller);
        if (!sight.ok) return sight;
        if (sight.value.kind !== 'seen') continue;
      }
      along.push(entry);
    }
    return ok(along);
  }

  return {
    alongSeen,

    /** Those of one page of the EHR's who are seen, with what comes along with them. */
    async seen(
      entries: readonly Checked[],
      next: OwnAddress | null,
      caller: Caller,
    ): Promise<Result<{ readonly entries: readonly Checked[]; readonly next: OwnAddress | null }>> {
      const seen = await matchesSeen(entries, caller);
      if (!seen.ok) return seen;
      const along = await alongSeen(seen.value, entries, caller);
      return along.ok ? ok({ entries: [...seen.value, ...along.value], next }) : along;
    },

    async gather(first: BundlePage, caller: Caller): Promise<Result<BundlePage | null>> {
      const entry: unknown[] = [first.bundle['entry'] ?? []].flat();
      let { next } = first;
      for (let n = 1; next !== null && n < PAGES_MAX; n += 1) {
        const page = await reader.page(next, 'searchset', caller);
        if (!page.ok || page.value === null) return page;
        entry.push(...[page.value.bundle['entry'] ?? []].flat());
        next = page.value.next;
      }
      return ok({ bundle: { ...first.bundle, entry }, next: null });
    },

    /** Those who are seen, as many as were asked for, with what comes along with them; and where the others are. */
    async keep(
      entries: readonly Checked[],
      count: number | null,
      query: Pairs,
      caller: Caller,
    ): Promise<Result<{ readonly entries: readonly Checked[]; readonly next: OwnAddress | null }>> {
      const found = await matchesSeen(entries, caller);
      if (!found.ok) return found;
      const seen = found.value;
      const matches = seen.splice(0, count ?? LIMITS.countMax);
      const along = await alongSeen(matches, entries, caller);
      if (!along.ok) return along;
      const later = seen.slice(0, LATER_MAX).map(({ resource: { id } }) => id);
      const next =
        later.length === 0 ? null : { path: 'Patient', query: [...query, ['_id', later.join(',')] as const] };
      return ok({ entries: [...matches, ...along.value], next });
    },
  };
}
