import type { OwnAddress } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Fault, type Result } from '../kernel/index.ts';
import type { EhrReader, Read } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { isOwn, type Plan } from './decide.ts';
import type { Judge } from './judge.ts';
import type { Instance } from './read-request.ts';
import { isSince } from './since.ts';
import { isResource, type Json, type Resource } from './whose.ts';

/** `why` goes to the audit alone. The caller gets the same answer for a missing resource and for another patient's. */
export interface Unread {
  readonly fault: Fault;
  readonly why: 'absent' | 'hidden' | 'ehr';
  readonly patient: null;
}
export interface Found {
  readonly read: Read;
  readonly patient: string | null;
}

/** Where a history goes on: a page of the EHR's, and how many of what may be seen of it were shown already. */
export interface HistoryPlace {
  readonly next: OwnAddress;
  readonly skip: number;
}

export interface HistoryEntry {
  /** Absent for a deletion. */
  readonly resource?: Resource;
  readonly request: Json;
  readonly response: Json;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly patient: string | null;
  readonly next: HistoryPlace | null;
}

export interface RunRead {
  /** read and vread. */
  one(plan: Plan<Instance>, caller: Caller): Promise<Result<Found, Unread>>;
  history(plan: Plan<Instance>, from: HistoryPlace | null, caller: Caller): Promise<Result<HistoryPage, Unread>>;
}

const unread = (why: Unread['why'], of: Fault = fault('read.not-found')): { ok: false; fault: Unread } =>
  fail({ fault: of, why, patient: null });

const HISTORY_PAGES_MAX = 20;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function makeRunRead(deps: { readonly reader: EhrReader; readonly judge: Judge }): RunRead {
  const { reader, judge } = deps;

  /** One version, judged by what it says itself: R4 puts resources into compartments by their current version only. */
  async function look(path: string, plan: Plan<Instance>, caller: Caller): Promise<Result<Found, Unread>> {
    const { type, id, kind } = plan.request;
    const read = await reader.read(path, type, id, caller);
    if (!read.ok) {
      if (read.fault.code === 'read.foreign')
        caller.log.error('read.refused', { faultCode: 'read.foreign', reason: 'type' });
      return unread('ehr', read.fault);
    }
    if (read.value === null) {
      // Of a Provenance of another's the targets would be looked up, which mostly are of one type.
      if (type === 'Provenance') await judge.named([`Observation/${id}`], caller);
      else await judge.takeAsLong(type, id, ['r'], null, caller);
      return unread('absent');
    }
    if (kind === 'read' && isOwn(plan.grant, type, id)) return ok({ read: read.value, patient: null });
    const step = caller.span?.begin();
    const sight = await judge.sees(read.value.resource, ['r'], caller);
    step?.end('read.check', sight.ok ? { 'chartgate.decision': sight.value.kind } : { 'error.type': sight.fault.code });
    if (!sight.ok) return unread('ehr', sight.fault);
    if (sight.value.kind === 'seen') {
      const { patient, shown = read.value.resource } = sight.value;
      return ok({ read: { ...read.value, resource: shown }, patient });
    }
    if (type !== 'Provenance') await judge.takeAsLong(type, id, ['r'], sight.value, caller);
    return unread('hidden');
  }

  async function one(plan: Plan<Instance>, caller: Caller): Promise<Result<Found, Unread>> {
    const { type, id, versionId } = plan.request;
    const current = await look(`${type}/${id}`, plan, caller);
    if (!current.ok || versionId === null) return current;
    const { meta } = current.value.read.resource;
    if (isObject(meta) && meta['versionId'] === versionId) return current;
    const past = await look(`${type}/${id}/_history/${versionId}`, plan, caller);
    if (!past.ok) return past;
    const of = past.value.read.resource['meta'];
    if (isObject(of) && of['versionId'] !== undefined && of['versionId'] !== versionId)
      return unread('ehr', fault('read.foreign'));
    return past.value.patient === current.value.patient ? past : unread('hidden');
  }

  /**
   * What of a history's entry is ours to tell, and since when it was. Null: nothing. A version that was another
   * patient's is left out.
   */
  async function entryOf(
    entry: unknown,
    plan: Plan<Instance>,
    patient: string | null,
    caller: Caller,
  ): Promise<Result<{ readonly told: HistoryEntry; readonly at: unknown } | null>> {
    const { type, id } = plan.request;
    if (!isObject(entry)) return fail(fault('read.foreign'));
    const { resource } = entry;
    const request = isObject(entry['request']) ? entry['request'] : {};
    const response = isObject(entry['response']) ? entry['response'] : {};
    const method = text(request['method']);
    const told = {
      request: {
        method: method !== undefined && ['POST', 'PUT', 'DELETE', 'PATCH'].includes(method) ? method : 'PUT',
        url: `${type}/${id}`,
      },
      response: {
        status: /^\d{3}/.exec(text(response['status']) ?? '')?.[0] ?? '200',
        ...(/^W\/"[A-Za-z0-9.-]{1,64}"$/.test(text(response['etag']) ?? '') ? { etag: response['etag'] } : {}),
        ...(/^\d{4}-[0-9T:.+Z-]+$/.test(text(response['lastModified']) ?? '')
          ? { lastModified: response['lastModified'] }
          : {}),
      },
    };
    const { lastModified } = response;
    if (resource === undefined) return ok(told.request.method === 'DELETE' ? { told, at: lastModified } : null);
    if (!isResource(resource) || resource.resourceType !== type || resource.id !== id)
      return fail(fault('read.foreign'));
    const { meta } = resource;
    const sight = await judge.sees(resource, ['r'], caller);
    if (!sight.ok) return sight;
    const at = isObject(meta) ? (meta['lastUpdated'] ?? lastModified) : lastModified;
    if (sight.value.kind !== 'seen' || sight.value.patient !== patient) return ok(null);
    return ok({ told: { resource: sight.value.shown ?? resource, ...told }, at });
  }

  /** One page of the EHR's, as far as it may be seen. Null: there is no history. */
  async function pageOf(
    at: OwnAddress,
    plan: Plan<Instance>,
    patient: string | null,
    caller: Caller,
  ): Promise<Result<{ readonly shown: readonly HistoryEntry[]; readonly next: OwnAddress | null } | null>> {
    const page = await reader.page(at, 'history', caller);
    if (!page.ok || page.value === null) return page.ok ? ok(null) : page;
    const { bundle, next } = page.value;
    const shown: HistoryEntry[] = [];
    // A deletion does not say whose record it ended: the version before it does, which comes next.
    let deletions: HistoryEntry[] = [];
    for (const entry of Array.isArray(bundle['entry']) ? (bundle['entry'] as unknown[]) : []) {
      const found = await entryOf(entry, plan, patient, caller);
      if (!found.ok) return found;
      if (found.value === null) {
        deletions = [];
        continue;
      }
      const { told, at: toldAt } = found.value;
      const kept = isSince(plan.request.since, toldAt) ? [told] : [];
      if (told.resource === undefined) deletions.push(...kept);
      else shown.push(...deletions.splice(0), ...kept);
    }
    return ok({ shown, next });
  }

  return {
    one,
    async history(plan, from, caller) {
      const { type, id, count, used } = plan.request;
      const current = await look(`${type}/${id}`, plan, caller);
      if (!current.ok) return current;
      const { patient } = current.value;
      let { next: at, skip } = from ?? {
        next: { path: `${type}/${id}/_history`, query: used.filter(([name]) => name === '_since') },
        skip: 0,
      };
      // Pages of which nothing may be seen are passed over: that they are there would tell of what is on them.
      for (let n = 1; ; n += 1) {
        const page = await pageOf(at, plan, patient, caller);
        if (!page.ok) {
          if (page.fault.code === 'read.foreign')
            caller.log.error('read.refused', { faultCode: 'read.foreign', reason: 'type' });
          return unread('ehr', page.fault);
        }
        if (page.value === null) return unread('absent');
        const { shown, next } = page.value;
        const left = shown.slice(skip);
        const entries = left.slice(0, count ?? left.length);
        if (entries.length < left.length)
          return ok({ entries, patient, next: { next: at, skip: skip + entries.length } });
        const goesOn = next === null ? null : { next, skip: 0 };
        if (goesOn === null || entries.length > 0 || n === HISTORY_PAGES_MAX)
          return ok({ entries, patient, next: goesOn });
        ({ next: at, skip } = goesOn);
      }
    },
  };
}
