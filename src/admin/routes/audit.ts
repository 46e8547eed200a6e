import {
  CSV_HEAD,
  earlierKeys,
  EXPORT_START,
  exportPart,
  storeSource,
  toAuditEvent,
  toCsvLine,
  type AuditReads,
  type AuditRecord,
  type AuditWrites,
  type EventSite,
  type ExportPlace,
  type Place,
  type Search,
  type VerifyingKey,
} from '../../audit/index.ts';
import { fail, fault, ok, readInstant, type Result } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import type { ActorNames } from '../actor-names.ts';
import { EXPORT_MOST } from '../contract/audit.ts';
import type { InputOf } from '../contract/define-contract.ts';
import type { ContractOf } from '../contract/index.ts';
import { defineRoute, type AdminContext, type AdminRoute, type LinesAnswer } from '../define-route.ts';
import { orLost, shownRecord } from './audit-proof.ts';

type ExportQuery = InputOf<ContractOf<'audit.export'>>['query'];

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

type Filters = Partial<Omit<InputOf<ContractOf<'audit.search'>>['query'], 'limit'>>;
const msOf = (text: string | undefined): number | null => (text === undefined ? null : readInstant(text));

function searchOf(
  given: Filters,
  limit: number,
  deps: { readonly tenant: string; readonly mrnSystem: string },
  actors: readonly string[] | null,
): Result<Search> {
  const { cursor, patient = null } = given;
  const before = cursor === undefined ? null : placeOf(cursor);
  if (cursor !== undefined && before === null) return wrong('cursor');
  const chart = patient?.startsWith(OF_THE_EHR) === true ? patient.slice(OF_THE_EHR.length) : null;
  return ok({
    tenant: deps.tenant,
    patient: patient === null || chart !== null ? null : { system: deps.mrnSystem, mrn: patient },
    chart,
    actors,
    client: given.client ?? null,
    delivery: given.delivery ?? null,
    request: given.request ?? null,
    types: null,
    tellingOf: given.type === undefined ? [] : [[given.type]],
    outcome: given.outcome ?? null,
    fromMs: msOf(given.from),
    toMs: msOf(given.to),
    before,
    limit,
    sealed: 'leave',
  });
}

/** Whom a search was about is recorded with it: asking who saw a patient is to look at that patient's data. */
const toSealOf = ({ patient, chart }: Search) => ({
  ...(patient === null && chart === null
    ? {}
    : { toSeal: { ...(patient === null ? {} : { patient }), ...(chart === null ? {} : { chart }) } }),
});

const toLines = (lines: readonly unknown[], type: string, next: string | null): LinesAnswer => ({
  type,
  text: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  next,
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
  readonly actorNames: Pick<ActorNames, 'namesOf'>;
}): AdminRoute[] {
  const { audit, key } = deps;
  const source = storeSource(audit);

  async function search(query: Filters, limit: number): Promise<Result<Search>> {
    const actors = query.actor === undefined ? ok(null) : await deps.actorNames.namesOf(query.actor);
    return actors.ok ? searchOf(query, limit, deps, actors.value) : actors;
  }

  async function exportEvents(query: ExportQuery, { record }: AdminContext): Promise<Result<LinesAnswer>> {
    const { form, particulars = 'sealed', limit = EXPORT_MOST } = query;
    if (form === 'csv' && particulars === 'open') return wrong('particulars');
    const wanted = await search(query, limit);
    if (!wanted.ok) return wanted;
    const found = await audit.read('audit.search', {
      ...wanted.value,
      limit: limit + 1,
      sealed: particulars === 'open' ? 'open' : 'leave',
    });
    if (!found.ok) return found;
    const page = found.value.slice(0, limit);
    const written = await record({
      action: 'R',
      outcome: '0',
      why: form === 'csv' ? 'audit.export-csv' : `audit.export-${particulars}`,
      count: page.length,
      ...toSealOf(wanted.value),
    });
    if (!written.ok) return written;
    const last = page.at(-1);
    const next = found.value.length > limit && last !== undefined ? cursorOf(last) : null;
    const records = page.map(({ record: text, opened }) => ({ record: JSON.parse(text) as AuditRecord, opened }));
    if (form === 'csv') {
      const head = query.cursor === undefined ? CSV_HEAD : '';
      return ok({ type: 'text/csv', text: head + records.map((one) => toCsvLine(one.record)).join(''), next });
    }
    const events = records.map((one) => toAuditEvent(one.record, deps.site, one.opened));
    return ok(toLines(events, 'application/fhir+ndjson', next));
  }

  async function exportRecords(query: ExportQuery, { record }: AdminContext): Promise<Result<LinesAnswer>> {
    const { form: _form, cursor, ...others } = query;
    const [odd] = Object.keys(others);
    if (odd !== undefined) return wrong(odd);
    const from = cursor === undefined ? EXPORT_START : exportPlaceOf(cursor);
    if (from === null) return wrong('cursor');
    return orLost(async () => {
      const { lines, next } = await exportPart(source, from, EXPORT_MOST);
      const why = 'audit.export-records';
      const written = await record({ action: 'R', outcome: '0', why, count: lines.length });
      if (!written.ok) return written;
      return ok(toLines(lines, 'application/x-ndjson', next === null ? null : encode(next)));
    });
  }

  return [
    defineRoute('audit.search', async ({ query }, { record }) => {
      const { limit } = query;
      const wanted = await search(query, limit);
      if (!wanted.ok) return wanted;
      const found = await audit.read('audit.search', { ...wanted.value, limit: limit + 1 });
      if (!found.ok) return found;
      const page = found.value.slice(0, limit);
      const written = await record({ action: 'R', outcome: '0', count: page.length, ...toSealOf(wanted.value) });
      if (!written.ok) return written;
      const last = page.at(-1);
      const next = found.value.length > limit && last !== undefined ? cursorOf(last) : null;
      return ok({ records: page.map(({ record: text }) => shownRecord(text)), next });
    }),

    defineRoute('audit.key', async (_input, { record }) => {
      const uncovered = await audit.read('audit.uncovered', { limit: 1 });
      if (!uncovered.ok) return uncovered;
      const rotations = await audit.read('audit.rotations', null);
      if (!rotations.ok) return rotations;
      const written = await record({ action: 'R', outcome: '0' });
      if (!written.ok) return written;
      const earlier = earlierKeys(rotations.value);
      return ok({ key: key.text, earlier, checkpoint: uncovered.value.last?.note ?? null });
    }),

    defineRoute('audit.export', ({ query }, context) =>
      query.form === 'records' ? exportRecords(query, context) : exportEvents(query, context),
    ),
  ];
}
