import type { OwnAddress } from '../ehr/index.ts';
import { fail, fault, ok, type Fault, type Result } from '../kernel/index.ts';
import type { EhrReader, Read } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { isOwn, type Plan } from './decide.ts';
import type { Judge } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { Instance } from './read-request.ts';
import { isObject, isResource, type Json } from './whose.ts';

/** `why` is for the audit alone: who asks is told the same, whether it is not there or not theirs. */
export interface Unread {
  readonly fault: Fault;
  readonly why: 'absent' | 'hidden' | 'ehr';
  readonly patient: null;
}
export interface Found {
  readonly read: Read;
  readonly patient: string | null;
}

export interface HistoryPage {
  readonly entries: readonly Json[];
  readonly patient: string | null;
  readonly next: OwnAddress | null;
}

export interface RunRead {
  /** read and vread. */
  one(plan: Plan<Instance>, caller: Caller): Promise<Result<Found, Unread>>;
  history(plan: Plan<Instance>, from: OwnAddress | null, caller: Caller): Promise<Result<HistoryPage, Unread>>;
}

const unread = (why: Unread['why'], of: Fault = fault('read.not-found')): { ok: false; fault: Unread } =>
  fail({ fault: of, why, patient: null });

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function makeRunRead(deps: {
  readonly reader: EhrReader;
  readonly judge: Judge;
  readonly links: LinkedPatients;
}): RunRead {
  const { reader, judge, links } = deps;

  /** One version, judged by what it says itself: R4 puts resources into compartments by their current version only. */
  async function look(path: string, plan: Plan<Instance>, caller: Caller): Promise<Result<Found, Unread>> {
    const { type, id, kind } = plan.request;
    const read = await reader.read(path, type, id, caller.requestId);
    if (!read.ok) {
      if (read.fault.code === 'read.foreign') caller.log.error('read.refused', { faultCode: 'read.foreign', reason: 'type' });
      return unread('ehr', read.fault);
    }
    if (read.value === null) {
      // Another's record would cost a look at whose patient that is; what is not there takes as long.
      if (plan.link === 'asked' && type !== 'Patient') await links.isLinked(id, caller.requestId);
      return unread('absent');
    }
    if (kind === 'read' && isOwn(plan.grant, type, id)) return ok({ read: read.value, patient: null });
    const sight = await judge.sees(read.value.resource, ['r'], caller);
    if (!sight.ok) return unread('ehr', sight.fault);
    return sight.value.kind === 'hidden' ? unread('hidden') : ok({ read: read.value, patient: sight.value.patient });
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

  /** What of a history's entry is ours to tell. A version that was another patient's is left out. */
  async function entryOf(
    entry: unknown,
    plan: Plan<Instance>,
    patient: string | null,
    caller: Caller,
  ): Promise<Result<Json | null>> {
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
        ...(/^\d{4}-[0-9T:.+Z-]+$/.test(text(response['lastModified']) ?? '') ? { lastModified: response['lastModified'] } : {}),
      },
    };
    if (resource === undefined) return ok(told.request.method === 'DELETE' ? told : null);
    if (!isResource(resource) || resource.resourceType !== type || resource.id !== id) return fail(fault('read.foreign'));
    const sight = await judge.sees(resource, ['r'], caller);
    if (!sight.ok) return sight;
    const isSame = sight.value.kind === 'seen' && sight.value.patient === patient;
    return ok(isSame ? { resource, ...told } : null);
  }

  return {
    one,
    async history(plan, from, caller) {
      const { type, id } = plan.request;
      const current = await look(`${type}/${id}`, plan, caller);
      if (!current.ok) return current;
      const page = await reader.page(from ?? { path: `${type}/${id}/_history`, query: [] }, 'history', caller.requestId);
      if (!page.ok) return unread('ehr', page.fault);
      if (page.value === null) return unread('absent');
      const { bundle, next } = page.value;
      const entries: Json[] = [];
      for (const entry of Array.isArray(bundle['entry']) ? (bundle['entry'] as unknown[]) : []) {
        const told = await entryOf(entry, plan, current.value.patient, caller);
        if (!told.ok) {
          if (told.fault.code === 'read.foreign') caller.log.error('read.refused', { faultCode: 'read.foreign', reason: 'type' });
          return unread('ehr', told.fault);
        }
        if (told.value !== null) entries.push(told.value);
      }
      return ok({ entries, patient: current.value.patient, next });
    },
  };
}
