import { fail, fault, ok, type Answer, type Result } from '../kernel/index.ts';
import type { OwnAddress } from '../ehr/index.ts';
import { bundleAnswer, toEntry } from './answer-search.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { decide, filtersFor } from './decide.ts';
import { refuse, type Handle } from './front.ts';
import { isId, type Search } from './read-request.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunRead } from './run-read.ts';
import type { RunSearch } from './run-search.ts';
import type { Continuation, Cursors } from './seal-cursor.ts';
import type { Served } from './served-types.ts';

const PAGE_ENTRIES = 200;
const WHOLE = { elements: null, summary: 'false' } as const;

/** All of one type that is a patient's. */
export const searchOf = (type: string, patient: string): Search => ({
  kind: 'search-type',
  type,
  patient,
  clauses: [],
  include: [],
  revinclude: 'none',
  sort: null,
  count: PAGE_ENTRIES,
  elements: null,
  summary: 'false',
  used: [],
});

/**
 * `Patient/$everything` as one search for each type that the token may search: never the EHR's own operation, which follows whatever
 * it thinks belongs to a patient and would read all types by the permission for one.
 */
export function makeAnswerEverything(deps: {
  readonly served: Served;
  readonly isOffered: (type: string) => boolean;
  readonly ownBase: string;
  readonly runRead: RunRead;
  readonly runSearch: RunSearch;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
  readonly cursors: Cursors;
}) {
  const { served, ownBase, runRead, runSearch, record, rewrite, cursors } = deps;

  async function collect(
    id: string,
    types: readonly string[],
    from: OwnAddress | null,
    caller: Caller,
  ): Promise<Result<{ entries: Checked[]; rest: readonly string[]; next: OwnAddress | null }>> {
    const entries: Checked[] = [];
    let next = from;
    for (const [i, type] of types.entries()) {
      const decision = decide(caller.grant, searchOf(type, id), served);
      if (!decision.allow) continue;
      const page = await runSearch(decision.plan, next, caller);
      if (!page.ok) return page;
      entries.push(...page.value.entries);
      next = page.value.next;
      if (next !== null) return ok({ entries, rest: types.slice(i), next });
      if (entries.length >= PAGE_ENTRIES) return ok({ entries, rest: types.slice(i + 1), next: null });
    }
    return ok({ entries, rest: [], next: null });
  }

  async function answer(
    id: string,
    types: readonly string[],
    from: OwnAddress | null,
    isFirst: boolean,
    caller: Caller,
  ): Promise<Result<Answer>> {
    const whole = { versionId: null, ...WHOLE, count: null, since: null, used: [] } as const;
    const decision = decide(caller.grant, { kind: 'read', type: 'Patient', id, ...whole } as const, served);
    if (!decision.allow) return refuse(decision.because, { interaction: 'operation', type: 'Patient', id }, record, caller);
    // On every page: what may be seen of a patient may have changed since the last one.
    const patient = await runRead.one(decision.plan, caller);
    const act = { type: 'fhir.search', interaction: 'operation', resourceType: 'Patient', id, patients: [id] } as const;
    if (!patient.ok) {
      const kept = await record({ ...act, type: 'fhir.read', outcome: '4', why: patient.fault.why }, caller);
      return kept.ok ? fail(patient.fault.fault) : kept;
    }
    const found = await collect(id, types, from, caller);
    if (!found.ok) {
      const kept = await record({ ...act, outcome: '8', why: found.fault.code }, caller);
      return kept.ok ? found : kept;
    }
    const { rest, next } = found.value;
    const entries = [
      ...(isFirst ? [{ resource: patient.value.read.resource, mode: 'match' } as const] : []),
      ...found.value.entries,
    ];
    const rewritten = rewrite(entries);
    if (!rewritten.ok) {
      const kept = await record({ ...act, outcome: '8', why: rewritten.fault.code }, caller);
      return kept.ok ? rewritten : kept;
    }
    const kept = await record({ ...act, outcome: '0', count: entries.length }, caller);
    if (!kept.ok) return kept;
    const hasMore = next !== null || rest.length > 0;
    const cursor = hasMore ? cursors.seal({ kind: 'everything', id, types: rest, next }, caller.grant) : null;
    return ok(
      bundleAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(isFirst && !hasMore ? { total: entries.length } : {}),
        link: [
          { relation: 'self', url: `${ownBase}/Patient/${id}/$everything` },
          ...(cursor === null ? [] : [{ relation: 'next', url: `${ownBase}/Patient?_cursor=${cursor}` }]),
        ],
        ...(entries.length === 0 ? {} : { entry: rewritten.value.map((entry) => toEntry(entry, ownBase, WHOLE)) }),
      }),
    );
  }

  const get: Handle = (_ask, { segments: [, id = ''], query }, caller) => {
    if (!isId(id)) return Promise.resolve(fail(fault('read.not-found')));
    if (query.some(([name]) => name !== '_format' && name !== '_pretty')) return Promise.resolve(fail(fault('read.parameter')));
    const anyone = { isContext: true, isLinked: true };
    const types = [...served]
      .filter(
        ([type, { kind }]) =>
          kind === 'subject' && deps.isOffered(type) && filtersFor(caller.grant, type, ['s'], anyone).length > 0,
      )
      .map(([type]) => type);
    return answer(id, types, null, true, caller);
  };

  return {
    get,
    goOn: (of: Extract<Continuation, { kind: 'everything' }>, caller: Caller) => answer(of.id, of.types, of.next, false, caller),
  };
}
