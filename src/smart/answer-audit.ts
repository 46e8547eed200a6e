import {
  eventPlace,
  toAuditEvent,
  type AuditEvent,
  type AuditReads,
  type AuditRecord,
  type AuditWrites,
  type FoundRecord,
  type Place,
} from '../audit/index.ts';
import type { Grant, Letter } from '../auth/index.ts';
import type { Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Answer, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { bundleAnswer, formOf } from './answer-search.ts';
import type { Caller } from './caller.ts';
import { refuse, type Handle } from './front.ts';
import { FHIR_JSON } from './negotiate.ts';
import { isToken, parseAuditSearch, type AuditSearch } from './parse-audit-search.ts';
import type { RecordRead } from './record-read.ts';
import type { Cursors } from './seal-cursor.ts';

const TYPE = 'AuditEvent';
/** How much is looked through for one page where what is asked for has no index. */
const LOOK = { pageSize: 500, times: 10 } as const;

/**
 * Who may see the audit. It tells of all patients, so that a scope for one patient is none for it: one event may name
 * several, such as a search by their numbers. And `*` was granted for records, by somebody who did not think of this.
 */
const mayAudit = (grant: Grant, letter: Letter): boolean =>
  grant.scopes.some(
    ({ level, type, letters, filter }) =>
      level !== 'patient' && type === TYPE && letters.has(letter) && filter.length === 0,
  );

function hasEntity({ entity }: AuditEvent, wanted: NonNullable<AuditSearch['entityTypes']>): boolean {
  const types = (Array.isArray(entity) ? (entity as unknown[]) : []).map((one) => (isObject(one) ? one['type'] : null));
  return types.some((type) => isObject(type) && wanted.some((token) => isToken(token, type)));
}

interface Page {
  readonly events: readonly AuditEvent[];
  readonly next: Place | null;
}

/**
 * `AuditEvent` from our own log, opened for whoever may read it. Nothing of it comes from the EHR, and to look at it is
 * recorded.
 */
export function makeAnswerAudit(deps: {
  readonly tenant: string;
  readonly publicUrl: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly record: RecordRead;
  readonly cursors: Cursors;
}) {
  const { tenant, publicUrl, audit, record, cursors } = deps;
  const base = `${publicUrl}/fhir`;
  // The EHR's address is not shown to callers.
  const site = { publicUrl, ehrUrl: 'urn:chartgate:ehr' };
  const toEvent = (one: FoundRecord): AuditEvent =>
    toAuditEvent(JSON.parse(one.record) as AuditRecord, site, one.opened);

  async function find({ search, count, entityTypes }: AuditSearch, from: Place | null): Promise<Result<Page>> {
    if (search.types?.length === 0) return ok({ events: [], next: null });
    const limit = entityTypes === null ? count + 1 : LOOK.pageSize;
    const found: { readonly place: Place; readonly event: AuditEvent }[] = [];
    let looked = from;
    let isMore = true;
    for (let times = 0; isMore && found.length <= count && times < LOOK.times; times += 1) {
      const some = await audit.read('audit.search', {
        ...search,
        tenant,
        actors: null,
        delivery: null,
        request: null,
        before: looked,
        limit,
        sealed: 'open',
      });
      if (!some.ok) return some;
      for (const one of some.value) {
        const event = toEvent(one);
        if (entityTypes === null || hasEntity(event, entityTypes)) found.push({ place: one, event });
      }
      looked = some.value.at(-1) ?? looked;
      isMore = some.value.length === limit;
    }
    const shown = found.slice(0, count);
    const last = found.length > count ? (shown.at(-1)?.place ?? null) : isMore ? looked : null;
    return ok({ events: shown.map(({ event }) => event), next: last });
  }

  async function search(pairs: Pairs, from: Place | null, caller: Caller): Promise<Result<Answer>> {
    const of = { interaction: 'search-type', type: TYPE } as const;
    if (!mayAudit(caller.grant, 's')) return refuse('scope', of, record, caller);
    const asked = parseAuditSearch(pairs, base);
    if (!asked.ok) return asked;
    const { patient, chart } = asked.value.search;
    const self = `${TYPE}?${new URLSearchParams(asked.value.used.map(([name, value]): [string, string] => [name, value])).toString()}`;
    const act = {
      type: 'fhir.search',
      interaction: of.interaction,
      resourceType: TYPE,
      query: self,
      patients: chart === null ? [] : [chart],
      ...(patient === null ? {} : { mrn: patient }),
    } as const;
    const page = await find(asked.value, from);
    if (!page.ok) {
      const kept = await record({ ...act, outcome: '8', why: page.fault.code }, caller);
      return kept.ok ? page : kept;
    }
    const { events, next } = page.value;
    const kept = await record({ ...act, outcome: '0', count: events.length }, caller);
    if (!kept.ok) return kept;
    const place = next === null ? null : { atMs: next.atMs, chain: next.chain, seq: next.seq };
    const cursor =
      place === null
        ? null
        : cursors.seal({ kind: 'audit', type: TYPE, params: asked.value.used, before: place }, caller.grant);
    return ok(
      bundleAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(from === null && next === null ? { total: events.length } : {}),
        link: [
          { relation: 'self', url: `${base}/${self}` },
          ...(cursor === null ? [] : [{ relation: 'next', url: `${base}/${TYPE}?_cursor=${cursor}` }]),
        ],
        ...(events.length === 0
          ? {}
          : {
              entry: events.map((resource) => ({
                fullUrl: `${base}/${TYPE}/${resource.id}`,
                resource,
                search: { mode: 'match' },
              })),
            }),
      }),
    );
  }

  const get: Handle = (_ask, { query }, caller) => {
    const cursor = query.find(([name]) => name === '_cursor');
    if (cursor === undefined) return search(query, null, caller);
    if (query.some(([name], i) => name !== '_format' && name !== '_pretty' && query[i] !== cursor))
      return Promise.resolve(fail(fault('read.parameter', { at: '_cursor' })));
    const opened = cursors.open(cursor[1], caller.grant);
    if (!opened.ok) return Promise.resolve(opened);
    return opened.value.kind === 'audit'
      ? search(opened.value.params, opened.value.before, caller)
      : Promise.resolve(fail(fault('read.cursor')));
  };

  const post: Handle = async (ask, { query }, caller) => {
    const all = await formOf(ask, query);
    return all.ok ? search(all.value, null, caller) : all;
  };

  const read: Handle = async (_ask, { segments: [, id = ''], query }, caller) => {
    const of = { interaction: 'read', type: TYPE, id } as const;
    if (!mayAudit(caller.grant, 'r')) return refuse('scope', of, record, caller);
    if (query.some(([name]) => name !== '_format' && name !== '_pretty')) return fail(fault('read.parameter'));
    const act = { type: 'fhir.read', interaction: of.interaction, resourceType: TYPE, id } as const;
    const place = eventPlace(id);
    const found = place === null ? ok(null) : await audit.read('audit.record', { tenant, ...place });
    if (!found.ok || found.value === null) {
      const kept = await record(
        { ...act, outcome: found.ok ? '4' : '8', why: found.ok ? 'absent' : found.fault.code },
        caller,
      );
      if (!kept.ok) return kept;
      return found.ok ? fail(fault('read.not-found')) : found;
    }
    const { chart, patient } = found.value.opened ?? {};
    const kept = await record(
      {
        ...act,
        outcome: '0',
        count: 1,
        patients: chart === undefined ? [] : [chart],
        ...(patient === undefined ? {} : { mrn: patient }),
      },
      caller,
    );
    if (!kept.ok) return kept;
    return ok({ status: 200, headers: { 'Content-Type': FHIR_JSON }, body: JSON.stringify(toEvent(found.value)) });
  };

  return { get, post, read };
}
