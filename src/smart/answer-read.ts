import { fail, isObject, ok, type Answer, type Ask, type Result } from '../kernel/index.ts';
import type { AnswerHeaders } from '../ehr/index.ts';
import type { Caller } from './caller.ts';
import type { Plan } from './decide.ts';
import { decideWatched } from './decide-watched.ts';
import { refuse, type Handle } from './front.ts';
import { FHIR_JSON, hasTag } from './negotiate.ts';
import { parseInstance } from './parse-instance.ts';
import { isId, type Instance } from './read-request.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { HistoryEntry, HistoryPage, HistoryPlace, RunRead, Unread } from './run-read.ts';
import type { Continuation, Cursors } from './seal-cursor.ts';
import type { Served } from './served-types.ts';
import { shapeResource } from './shape-resource.ts';
import type { Json, Resource } from './whose.ts';

const patientsOf = (patient: string | null): readonly string[] => (patient === null ? [] : [patient]);
const metaOf = (resource: Resource): Json => (isObject(resource['meta']) ? resource['meta'] : {});

function headersOf(resource: Resource, given: AnswerHeaders): Record<string, string> {
  const { versionId, lastUpdated } = metaOf(resource);
  const etag = typeof versionId === 'string' && isId(versionId) ? `W/"${versionId}"` : given.etag;
  const at = typeof lastUpdated === 'string' ? new Date(lastUpdated) : null;
  return {
    'Content-Type': FHIR_JSON,
    ...(etag !== undefined && /^(W\/)?"[\x21\x23-\x7e]{0,100}"$/.test(etag) ? { ETag: etag } : {}),
    ...(at === null || Number.isNaN(at.getTime()) ? {} : { 'Last-Modified': at.toUTCString() }),
  };
}

export function makeAnswerRead(deps: {
  readonly served: Served;
  readonly isOffered: (type: string) => boolean;
  readonly ownBase: string;
  readonly run: RunRead;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
  readonly cursors: Cursors;
}) {
  const { served, ownBase, run, record, rewrite, cursors } = deps;

  /** The same text for a missing resource and for another patient's; only the audit records which it was. */
  async function unseen(
    { request }: Plan<Instance>,
    { fault: of, why }: Unread,
    caller: Caller,
  ): Promise<Result<never>> {
    const { kind, type, id } = request;
    const outcome = why === 'ehr' ? '8' : '4';
    const kept = await record(
      { type: 'fhir.read', interaction: kind, resourceType: type, outcome, why: why === 'ehr' ? of.code : why, id },
      caller,
    );
    return kept.ok ? fail(of) : kept;
  }

  async function answerOne(ask: Ask, plan: Plan<Instance>, caller: Caller): Promise<Result<Answer>> {
    const { kind, type, id } = plan.request;
    const found = await run.one(plan, caller);
    if (!found.ok) return unseen(plan, found.fault, caller);
    const { read, patient } = found.value;
    const headers = headersOf(read.resource, read.headers);
    const kept = await record(
      {
        type: 'fhir.read',
        interaction: kind,
        resourceType: type,
        outcome: '0',
        id,
        patients: patientsOf(patient),
        count: 1,
      },
      caller,
    );
    if (!kept.ok) return kept;
    const etag = headers['ETag'];
    if (etag !== undefined && hasTag(ask.request.headers, etag))
      return ok({ status: 304, headers: { ETag: etag }, body: '' });
    return ok({ status: 200, headers, body: JSON.stringify(shapeResource(rewrite(read.resource), plan.request)) });
  }

  async function answerHistory(plan: Plan<Instance>, page: HistoryPage, caller: Caller): Promise<Result<Answer>> {
    const { kind, type, id } = plan.request;
    const { entries, patient, next } = page;
    const fullUrl = `${ownBase}/${type}/${id}`;
    const count = entries.length;
    const kept = await record(
      {
        type: 'fhir.read',
        interaction: kind,
        resourceType: type,
        outcome: '0',
        id,
        patients: patientsOf(patient),
        count,
      },
      caller,
    );
    if (!kept.ok) return kept;
    const { used } = plan.request;
    const toEntry = ({ resource, ...told }: HistoryEntry) => ({
      fullUrl,
      ...(resource === undefined ? {} : { resource: shapeResource(resource, plan.request) }),
      ...told,
    });
    const query = new URLSearchParams(used.map(([name, value]): [string, string] => [name, value])).toString();
    const cursor =
      next === null ? null : cursors.seal({ kind: 'history-instance', type, id, params: used, ...next }, caller.grant);
    return ok({
      status: 200,
      headers: { 'Content-Type': FHIR_JSON },
      body: JSON.stringify({
        resourceType: 'Bundle',
        type: 'history',
        link: [
          { relation: 'self', url: `${fullUrl}/_history${query === '' ? '' : `?${query}`}` },
          ...(cursor === null ? [] : [{ relation: 'next', url: `${ownBase}/${type}?_cursor=${cursor}` }]),
        ],
        ...(count === 0 ? {} : { entry: rewrite(entries).map(toEntry) }),
      }),
    });
  }

  async function history(plan: Plan<Instance>, from: HistoryPlace | null, caller: Caller): Promise<Result<Answer>> {
    const page = await run.history(plan, from, caller);
    return page.ok ? answerHistory(plan, page.value, caller) : unseen(plan, page.fault, caller);
  }

  const handle =
    (kind: Instance['kind']): Handle =>
    async (ask, { segments, query }, caller) => {
      const request = parseInstance(kind, segments, query, deps.isOffered);
      if (!request.ok) return request;
      const decision = decideWatched(caller, request.value, served);
      if (!decision.allow)
        return refuse(
          decision.because,
          { interaction: kind, type: request.value.type, id: request.value.id },
          record,
          caller,
        );
      return kind === 'history-instance' ? history(decision.plan, null, caller) : answerOne(ask, decision.plan, caller);
    };

  return {
    read: handle('read'),
    vread: handle('vread'),
    history: handle('history-instance'),
    async continueHistory(
      of: Extract<Continuation, { kind: 'history-instance' }>,
      caller: Caller,
    ): Promise<Result<Answer>> {
      const request = parseInstance('history-instance', [of.type, of.id], of.params, deps.isOffered);
      if (!request.ok) return request;
      const decision = decideWatched(caller, request.value, served);
      if (!decision.allow)
        return refuse(decision.because, { interaction: 'history-instance', type: of.type, id: of.id }, record, caller);
      return history(decision.plan, { next: of.next, skip: of.skip }, caller);
    },
  };
}
