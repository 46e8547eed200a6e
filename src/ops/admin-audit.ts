import {
  AUDIT_TYPES,
  earlierKeys,
  EXPORT_START,
  exportPart,
  OUTCOMES,
  SourceLost,
  storeSource,
  toAuditEvent,
  verifyAudit,
  type AuditReads,
  type AuditRecord,
  type AuditWrites,
  type EventSite,
  type ExportPlace,
  type Flaw,
  type FoundRecord,
  type Place,
  type Search,
  type Verified,
  type VerifyingKey,
} from '../audit/index.ts';
import {
  errorCode,
  fail,
  fault,
  jsonAnswer,
  ok,
  readInstant,
  type Answer,
  type Ask,
  type Result,
  type Route,
} from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { adminRoute as admin, limitOf, PAGE, queryOf } from './admin-query.ts';
import type { RecordAct } from './record-act.ts';

const FILTERS = [
  'patient',
  'client',
  'delivery',
  'request',
  'type',
  'outcome',
  'from',
  'to',
  'cursor',
  'limit',
] as const;
const EXPORT_AT_ONCE = 1_000;
const OF_THE_EHR = 'Patient/';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
  } catch {
    return null;
  }
}

const isPlaceInChain = (chain: unknown, seq: unknown): boolean =>
  typeof chain === 'string' && /^[\w.-]{1,64}$/.test(chain) && Number.isSafeInteger(seq);

/** Null, as below, for whatever was not made here: of one place there is one cursor. */
function placeOf(cursor: string): Place | null {
  const list = decode(cursor);
  if (!Array.isArray(list)) return null;
  const [atMs, chain, seq] = list as [number, string, number];
  const place = { atMs, chain, seq };
  return Number.isSafeInteger(atMs) && isPlaceInChain(chain, seq) && cursorOf(place) === cursor ? place : null;
}
const cursorOf = ({ atMs, chain, seq }: Place): string => encode([atMs, chain, seq]);

function exportPlaceOf(cursor: string): ExportPlace | null {
  const given = decode(cursor) as Partial<Record<string, unknown>> | null;
  if (typeof given !== 'object' || given === null || encode(given) !== cursor) return null;
  const { at, after, chain } = given;
  if (at === 'chains') return { at };
  if (!Number.isSafeInteger(after)) return null;
  if (at === 'checkpoints') return { at, after: after as number };
  return at === 'records' && isPlaceInChain(chain, after)
    ? { at, chain: chain as string, after: after as number }
    : null;
}

const wrong = (at: string): Result<never> => fail(fault('admin.parameter', { at }));

/** An instant with its zone; a day without one would be another day elsewhere. */
function instantOf(text: string | undefined): number | null | 'wrong' {
  return text === undefined ? null : (readInstant(text) ?? 'wrong');
}

function searchOf(
  query: ReadonlyMap<string, string>,
  deps: { readonly tenant: string; readonly mrnSystem: string },
  most: number,
): Result<Search> {
  const get = (name: (typeof FILTERS)[number]): string | null => query.get(name) ?? null;
  const [fromMs, toMs] = [instantOf(query.get('from')), instantOf(query.get('to'))];
  const limit = limitOf(query, Math.min(PAGE.standard, most), most);
  const cursor = get('cursor');
  const before = cursor === null ? null : placeOf(cursor);
  const [type, outcome, patient] = [get('type'), get('outcome'), get('patient')];
  if (fromMs === 'wrong') return wrong('from');
  if (toMs === 'wrong') return wrong('to');
  if (cursor !== null && before === null) return wrong('cursor');
  if (!limit.ok) return limit;
  if (type !== null && !(AUDIT_TYPES as readonly string[]).includes(type)) return wrong('type');
  if (outcome !== null && outcome !== 'refused' && !(OUTCOMES as readonly string[]).includes(outcome))
    return wrong('outcome');
  const chart = patient?.startsWith(OF_THE_EHR) === true ? patient.slice(OF_THE_EHR.length) : null;
  return ok({
    tenant: deps.tenant,
    patient: patient === null || chart !== null ? null : { system: deps.mrnSystem, mrn: patient },
    chart,
    client: get('client'),
    delivery: get('delivery'),
    request: get('request'),
    types: type === null ? null : [type],
    outcome,
    fromMs,
    toMs,
    before,
    limit: limit.value,
    sealed: 'leave',
  });
}

/** Whom a search was about is recorded with it: asking who saw a patient is to look at that patient's data. */
const toSealOf = ({ patient, chart }: Search) => ({
  ...(patient === null && chart === null
    ? {}
    : { toSeal: { ...(patient === null ? {} : { patient }), ...(chart === null ? {} : { chart }) } }),
});

const shown = ({ record }: FoundRecord) => {
  const { v: _form, sealed, ...told } = JSON.parse(record) as AuditRecord;
  return { ...told, hasSealed: sealed !== undefined };
};

const ndjson = (lines: readonly unknown[], type: string, next: string | null): Answer => ({
  status: 200,
  headers: { 'Content-Type': type, ...(next === null ? {} : { 'Next-Cursor': next }) },
  body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
});

/**
 * The questions that a security officer asks, and the proof that the answers are whole. Each of them is itself
 * recorded.
 */
export function makeAuditRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly key: VerifyingKey;
  readonly site: EventSite;
  readonly record: RecordAct;
  /** What is kept elsewhere; null where nothing is. Rejects where it cannot be read. */
  readonly outside: {
    notes(): Promise<readonly string[]>;
    checkSegments(named: Verified['segments']): Promise<Flaw | null>;
  } | null;
}): Route[] {
  const { audit, key, record } = deps;
  const source = storeSource(audit);

  async function orLost<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof SourceLost) return thrown.result;
      throw thrown;
    }
  }

  /** With what stands outside, where something does and can be read. */
  async function verifyAll(): Promise<Verified & { readonly anchor: 'none' | 'read' | 'unreadable' }> {
    const { outside } = deps;
    if (outside === null) return { ...(await verifyAudit(source, key)), anchor: 'none' };
    try {
      const verified = await verifyAudit(source, key, await outside.notes());
      const flaw = verified.flaw ?? (await outside.checkSegments(verified.segments));
      return { ...verified, sound: flaw === null, flaw, anchor: 'read' };
    } catch (thrown) {
      if (errorCode(thrown) === null || thrown instanceof SourceLost) throw thrown;
      return { ...(await verifyAudit(source, key)), anchor: 'unreadable' };
    }
  }

  async function exportEvents(ask: Ask, query: ReadonlyMap<string, string>): Promise<Result<Answer>> {
    const particulars = query.get('particulars') ?? 'sealed';
    if (particulars !== 'sealed' && particulars !== 'open') return wrong('particulars');
    const wanted = searchOf(query, deps, EXPORT_AT_ONCE);
    if (!wanted.ok) return wanted;
    const limit = query.has('limit') ? wanted.value.limit : EXPORT_AT_ONCE;
    const found = await audit.read('audit.search', {
      ...wanted.value,
      limit: limit + 1,
      sealed: particulars === 'open' ? 'open' : 'leave',
    });
    if (!found.ok) return found;
    const page = found.value.slice(0, limit);
    const written = await record(ask, {
      action: 'R',
      outcome: '0',
      why: `audit.export-${particulars}`,
      count: page.length,
      ...toSealOf(wanted.value),
    });
    if (!written.ok) return written;
    const last = page.at(-1);
    const events = page.map((one) => toAuditEvent(JSON.parse(one.record) as AuditRecord, deps.site, one.opened));
    return ok(
      ndjson(
        events,
        'application/fhir+ndjson',
        found.value.length > limit && last !== undefined ? cursorOf(last) : null,
      ),
    );
  }

  async function exportRecords(ask: Ask, query: ReadonlyMap<string, string>): Promise<Result<Answer>> {
    const odd = [...query.keys()].find((name) => name !== 'form' && name !== 'cursor');
    if (odd !== undefined) return wrong(odd);
    const cursor = query.get('cursor');
    const from = cursor === undefined ? EXPORT_START : exportPlaceOf(cursor);
    if (from === null) return wrong('cursor');
    return orLost(async () => {
      const { lines, next } = await exportPart(source, from, EXPORT_AT_ONCE);
      const written = await record(ask, {
        action: 'R',
        outcome: '0',
        why: 'audit.export-records',
        count: lines.length,
      });
      if (!written.ok) return written;
      return ok(ndjson(lines, 'application/x-ndjson', next === null ? null : encode(next)));
    });
  }

  return [
    admin('get', '/admin/api/audit', async (ask) => {
      const query = queryOf(ask, FILTERS);
      if (!query.ok) return query;
      const wanted = searchOf(query.value, deps, PAGE.most);
      if (!wanted.ok) return wanted;
      const { limit } = wanted.value;
      const found = await audit.read('audit.search', { ...wanted.value, limit: limit + 1 });
      if (!found.ok) return found;
      const page = found.value.slice(0, limit);
      const written = await record(ask, {
        action: 'R',
        outcome: '0',
        why: 'audit.search',
        count: page.length,
        ...toSealOf(wanted.value),
      });
      if (!written.ok) return written;
      const last = page.at(-1);
      const next = found.value.length > limit && last !== undefined ? cursorOf(last) : null;
      return ok(jsonAnswer(200, { records: page.map(shown), next }));
    }),

    admin('get', '/admin/api/audit/key', async (ask) => {
      const uncovered = await audit.read('audit.uncovered', { limit: 1 });
      if (!uncovered.ok) return uncovered;
      const rotations = await audit.read('audit.rotations', null);
      if (!rotations.ok) return rotations;
      const written = await record(ask, { action: 'R', outcome: '0', why: 'audit.key' });
      if (!written.ok) return written;
      const earlier = earlierKeys(rotations.value);
      return ok(jsonAnswer(200, { key: key.text, earlier, checkpoint: uncovered.value.last?.note ?? null }));
    }),

    admin('get', '/admin/api/audit/verify', (ask) =>
      orLost(async () => {
        const verified = await verifyAll();
        const written = await record(ask, {
          action: 'R',
          outcome: verified.sound ? '0' : '12',
          why: 'audit.verify',
          count: verified.records,
        });
        return written.ok ? ok(jsonAnswer(200, verified)) : written;
      }),
    ),

    admin('get', '/admin/api/audit/export', async (ask) => {
      const query = queryOf(ask, [...FILTERS, 'form', 'particulars']);
      if (!query.ok) return query;
      const form = query.value.get('form') ?? 'events';
      if (form === 'events') return exportEvents(ask, query.value);
      return form === 'records' ? exportRecords(ask, query.value) : wrong('form');
    }),
  ];
}
