import type { AuditDraft } from '../audit/index.ts';
import { standingOfClient, type AskStanding, type Grant } from '../auth/index.ts';
import {
  fail,
  fault,
  ok,
  readBody,
  type Answer,
  type Ask,
  type Clock,
  type FaultCode,
  type NewId,
  type Result,
} from '../kernel/index.ts';
import { isId, type Caller, type Handle, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { ExportFile, ExportJob, ExportLevel, ExportReads, ExportWrites } from './commands.ts';
import type { PatientGroups } from './groups.ts';
import { ERROR_TYPE, fileName, manifestOf, parseFileName } from './manifest.ts';
import { pairsOfParameters, parseKickOff } from './parse-kick-off.ts';
import { scopeText, stillCovers, systemOnly } from './scope.ts';
import { encodingFor, streamFile } from './stream-file.ts';
import { makeStreamSlots } from './stream-slots.ts';

const BODY_BYTES_MAX = 256 * 1024;
/** Kept by one client, under way or complete, before it must delete one. */
const KEPT_MAX = 20;
const SEGMENTS_AT_ONCE = 4;
const EXPORT_ID = /^exp_[0-9a-z]{10,40}$/;
const ASYNC = /(^|[,;\s])respond-async([,;\s]|$)/i;
const NDJSON = 'application/fhir+ndjson';

export interface AnswerExportsDeps {
  readonly tenant: string;
  readonly exports: Operate<ExportWrites, ExportReads>;
  readonly groups: PatientGroups;
  readonly askStanding: AskStanding;
  readonly underWayMax: number;
  readonly newId: NewId;
  readonly clock: Clock;
  /** Told that there is an export to carry out, or one less. */
  readonly onChange: () => void;
}

const isAsync = ({ request }: Ask): boolean => ASYNC.test([request.headers['prefer'] ?? []].flat().join(','));

/** https://hl7.org/fhir/uv/bulkdata/STU2/export.html */
export function makeAnswerExports(deps: AnswerExportsDeps, kit: ReadKit) {
  const { tenant, exports, clock } = deps;
  const { chart } = kit.background;
  const isServed = (type: string): boolean => kit.served.has(type) && kit.isOffered(type);
  const statusUrl = (id: string): string => `${kit.ownBase}/$export/${id}`;
  const takeSlot = makeStreamSlots();

  const auditOf = (caller: Caller, why: string, id: string, count?: number): AuditDraft => ({
    at: clock.now(),
    type: 'fhir.export',
    tenant,
    requestId: caller.requestId,
    action: 'E',
    outcome: '0',
    why,
    to: id,
    client: caller.grant.clientId,
    issuer: caller.grant.issuer,
    tokenId: caller.grant.tokenId,
    interaction: 'operation',
    resourceType: 'Resource',
    ...(count === undefined ? {} : { count }),
    toSeal: { subject: caller.grant.subject },
  });

  /** The types of an export that the token may have; a fault where that is none, or not all that were named. */
  function checkTypes(
    types: readonly string[] | null,
    grant: Grant,
    handling: 'strict' | 'lenient',
  ): Result<readonly string[] | null> {
    const may = (type: string): boolean => chart.mayHave(grant, type);
    if (![...kit.served.keys()].some(may)) return fail(fault('read.scope'));
    if (types === null) return ok(null);
    const [within, beyond] = [types.filter(may), types.filter((type) => !may(type))];
    if (within.length === 0 || (beyond.length > 0 && handling === 'strict'))
      return fail(
        fault('read.scope', {
          at: '_type',
          problems: [`_type: ${beyond.join(', ')}: the scopes of the token do not cover it`],
        }),
      );
    return ok(within);
  }

  async function pairsOf(ask: Ask, method: 'GET' | 'POST'): Promise<ReturnType<typeof pairsOfParameters>> {
    if (method === 'GET') return ok([]);
    const type = (ask.request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (type !== 'application/fhir+json' && type !== 'application/json') return fail(fault('read.media'));
    const body = await readBody(ask.request, BODY_BYTES_MAX);
    if (!body.ok) return body;
    try {
      return pairsOfParameters(JSON.parse(body.value.toString('utf8')));
    } catch {
      return fail(fault('read.body'));
    }
  }

  const kickOff =
    (level: ExportLevel, method: 'GET' | 'POST'): Handle =>
    async (ask, { segments, query }, caller) => {
      const grant = systemOnly(caller.grant);
      if (grant.scopes.length === 0) return fail(fault('read.scope'));
      const group = level === 'group' ? (segments[1] ?? '') : null;
      if (group !== null) {
        const found = isId(group) ? await deps.groups.find(group) : ok(null);
        if (!found.ok) return found;
        if (found.value === null) return fail(fault('group.not-found'));
      }
      if (!isAsync(ask)) return fail(fault('export.async', { at: 'Prefer' }));
      const posted = await pairsOf(ask, method);
      if (!posted.ok) return posted;
      const handling = leniencyOf(ask);
      const rules = { level, method, isServed, parseFilter: kit.parseFilter, handling } as const;
      const asked = parseKickOff([...query, ...posted.value], rules);
      if (!asked.ok) return asked;
      const types = checkTypes(asked.value.types, grant, handling);
      if (!types.ok) return types;
      const id = deps.newId('exp');
      const address = (ask.request.url ?? '').slice('/fhir'.length);
      const started = await exports.write('exports.kick-off', {
        tenant,
        id,
        issuer: grant.issuer,
        client: grant.clientId,
        tokenId: grant.tokenId,
        scope: scopeText(grant),
        level,
        group,
        asked: { ...asked.value, types: types.value, request: `${kit.ownBase}${address}` },
        at: clock.now(),
        requestId: caller.requestId,
        underWayMax: deps.underWayMax,
        keptMax: KEPT_MAX,
        audit: auditOf(caller, 'kick-off', id),
      });
      if (!started.ok) return started;
      if (started.value === 'too-many') return fail(fault('export.too-many'));
      deps.onChange();
      return ok({ status: 202, headers: { 'Content-Location': statusUrl(id) }, body: '' });
    };

  /** An export of this client's; another's is not there. */
  async function find(id: string, { grant }: Caller): Promise<Result<ExportJob>> {
    const found = EXPORT_ID.test(id) ? await exports.read('exports.get', { tenant, id }) : ok(null);
    if (!found.ok) return found;
    const job = found.value;
    const isOwn = job !== null && job.client === grant.clientId && job.issuer === grant.issuer;
    const isThere = job !== null && ['running', 'complete', 'failed'].includes(job.state);
    return isOwn && isThere && systemOnly(grant).scopes.length > 0 ? ok(job) : fail(fault('export.not-found'));
  }

  /** Which of its files a token may have: those of which it allows as much as the one that asked for them. */
  const mayFetch = (job: ExportJob, type: string, grant: Grant): boolean =>
    type === ERROR_TYPE || (chart.mayHave(grant, type) && stillCovers(grant, job.scope, type));

  const waitSeconds = ({ startedAt }: ExportJob): number =>
    Math.max(1, Math.min(30, Math.round((clock.now().getTime() - startedAt) / 10_000)));

  const status: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const job = await find(id, caller);
    if (!job.ok) return job;
    const { state, phase, done, total, resources } = job.value;
    if (state === 'failed') return fail(fault((job.value.fault ?? 'export.given-up') as FaultCode));
    if (state === 'running') {
      const progress =
        phase === 'gather'
          ? `looking up patients, ${total} so far`
          : `${done} of ${total} patients, ${resources} resources`;
      const headers = { 'X-Progress': progress, 'Retry-After': String(waitSeconds(job.value)) };
      return ok({ status: 202, headers, body: '' });
    }
    const files = await exports.read('exports.files', { tenant, seq: job.value.seq });
    if (!files.ok) return files;
    const request = await exports.read('exports.request', { tenant, id });
    if (!request.ok) return request;
    const grant = systemOnly(caller.grant);
    const urlOf = (file: ExportFile): string => `${statusUrl(id)}/${fileName(file)}`;
    const shown = files.value.filter(({ type }) => mayFetch(job.value, type, grant));
    const expires = job.value.expiresAt === null ? {} : { Expires: new Date(job.value.expiresAt).toUTCString() };
    return ok({
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...expires },
      body: JSON.stringify(manifestOf(job.value, request.value ?? statusUrl(id), shown, urlOf)),
    });
  };

  const remove: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const job = await find(id, caller);
    if (!job.ok) return job;
    const of = { client: caller.grant.clientId, issuer: caller.grant.issuer };
    const audit = { ...auditOf(caller, 'delete', id), action: 'D' as const };
    const ended = await exports.write('exports.end', { tenant, id, of, at: clock.now(), audit });
    if (!ended.ok) return ended;
    if (ended.value === null || ended.value === 'over') return fail(fault('export.not-found'));
    deps.onChange();
    return ok({ status: 202, headers: {}, body: '' });
  };

  /** Asked anew while a file goes out: the export may be ended, the client disabled. */
  const download: Handle = async (ask, { segments: [, id = '', name = ''] }, caller) => {
    const job = await find(id, caller);
    if (!job.ok) return job;
    const file = parseFileName(name);
    if (file === null || job.value.state !== 'complete') return fail(fault('export.not-found'));
    const grant = systemOnly(caller.grant);
    if (!mayFetch(job.value, file.type, grant)) return fail(fault('read.scope'));
    const { seq } = job.value;
    const files = await exports.read('exports.files', { tenant, seq });
    if (!files.ok) return files;
    const listed = files.value.find(({ type, part }) => type === file.type && part === file.part);
    if (listed === undefined) return fail(fault('export.not-found'));
    const slot = takeSlot(JSON.stringify([grant.issuer, grant.clientId]));
    if (slot === null) return fail(fault('read.busy'));
    const act = { type: 'fhir.export', interaction: 'operation', resourceType: file.type, outcome: '0' } as const;
    const kept = await kit.record({ ...act, why: 'file', count: listed.resources, to: id }, caller);
    if (!kept.ok) {
      slot.leave();
      return kept;
    }
    const stream = {
      read: (of: typeof file, after: Parameters<typeof readSegments>[2]) => readSegments(seq, of, after),
      stillMay: async (): Promise<boolean> => {
        const now = await find(id, caller);
        const { issuer, clientId, tokenId } = grant;
        const client = await deps.askStanding(standingOfClient({ issuer, clientId, tokenId, scope: scopeText(grant) }));
        return now.ok && client.ok && typeof client.value !== 'string' && mayFetch(now.value, file.type, client.value);
      },
      log: ask.log,
    };
    const encoding = encodingFor(ask.request.headers['accept-encoding'] ?? '');
    return ok({
      status: 200,
      headers: {
        'Content-Type': NDJSON,
        'Cache-Control': 'no-store',
        Vary: 'Accept-Encoding',
        ...(encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
      },
      body: '',
      follow(outlet) {
        slot.begin();
        void streamFile(stream, file, encoding, outlet).finally(slot.leave);
      },
    } satisfies Answer);
  };

  const readSegments = (
    seq: number,
    { type, part }: Pick<ExportFile, 'type' | 'part'>,
    after: { readonly patient: number; readonly n: number } | null,
  ) => exports.read('exports.segments', { tenant, seq, type, part, after, limit: SEGMENTS_AT_ONCE });

  return { kickOff, status, remove, download };
}

/** `Prefer: handling=lenient`: without it what is not supported is refused. */
const leniencyOf = ({ request }: Ask): 'strict' | 'lenient' =>
  /(^|[,;\s])handling=lenient([,;\s]|$)/i.test([request.headers['prefer'] ?? []].flat().join(','))
    ? 'lenient'
    : 'strict';
