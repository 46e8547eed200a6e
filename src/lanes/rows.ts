import { actorOf, patientPseudonym, type AuditDraft } from '../audit/index.ts';
import type { Move, State } from '../inbox/index.ts';
import type { SealedTable, Vault } from '../store/index.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { LedgerEntry, SealedIds } from './ledger-document.ts';
import type {
  BothSides,
  Claimed,
  Decision,
  Finish,
  LaneAct,
  Outcome,
  SeenChange,
  ShownAttempt,
  TargetRow,
  WroteResource,
} from './commands.ts';

export type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What seals of ids that stand apart have always named for their place. */
const APART = 'written_resource.resource_id_sealed';

export const laneSealed: readonly SealedTable[] = [
  {
    table: 'written_document',
    columns: ['ids_sealed'],
    key: ['tenant', 'target', 'patient_index', 'document_index'],
    place: ['patient_index', 'document_index'],
  },
  {
    table: 'written_id',
    columns: ['resource_id_sealed'],
    key: ['tenant', 'target', 'patient_index', 'name'],
    place: ['name'],
    as: APART,
  },
  {
    table: 'foreign_change',
    columns: ['resource_id_sealed', 'sides_sealed'],
    key: ['tenant', 'target', 'delivery_seq', 'name'],
    place: ['name'],
  },
];

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
export const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/**
 * The id of a resource at the EHR leads to a person. Where it is the name that we gave it, nothing stands for it: the
 * name is there.
 */
const idPlace = (name: string): string => `foreign_change.resource_id_sealed/${name}`;
export const sealId = (vault: Vault, { name, id }: Pick<SeenChange, 'name' | 'id'>): Buffer =>
  id === name ? Buffer.alloc(0) : vault.seal(Buffer.from(id), idPlace(name));
const openId = (vault: Vault, sealed: Uint8Array, name: string): string =>
  sealed.byteLength === 0 ? name : vault.open(sealed, idPlace(name)).toString();

/** All ids of a row of the ledger that are not names. */
const idsPlace = (patient: Uint8Array, document: Uint8Array): string =>
  `written_document.ids_sealed/${hexOf(patient)}/${hexOf(document)}`;
export const sealIds = (
  vault: Vault,
  patient: Uint8Array,
  document: Uint8Array,
  ids: SealedIds | null,
): Buffer | null => (ids === null ? null : vault.seal(Buffer.from(JSON.stringify(ids)), idsPlace(patient, document)));
const NO_IDS: SealedIds = {};
export function openIds(vault: Vault, patient: Uint8Array, row: Row): SealedIds {
  const sealed = row['ids_sealed'];
  if (!(sealed instanceof Uint8Array)) return NO_IDS;
  const place = idsPlace(patient, row['document_index'] as Uint8Array);
  return JSON.parse(vault.open(sealed, place).toString()) as SealedIds;
}

/** Sealed by itself, as before there were rows of documents. Of an id that nobody knew then an empty text was sealed. */
export const openIdApart = (vault: Vault, row: Row): string | null =>
  vault.open(row['resource_id_sealed'] as Uint8Array, `${APART}/${nameOf(row)}`).toString() || null;

/**
 * Names are 64 hexadecimal digits everywhere but at rest, where each byte is stored for every measurement of every
 * patient.
 */
export function nameBytes(name: string): Buffer {
  const bytes = Buffer.from(name, 'hex');
  if (bytes.length !== 32) throw new Error('a name has 64 hexadecimal digits');
  return bytes;
}
export const nameOf = (row: Row): string => hexOf(row['name'] as Uint8Array);

const fingerprintIn = (value: unknown): Fingerprint | null =>
  value instanceof Uint8Array ? (Buffer.from(value).toString('hex') as Fingerprint) : null;
export const fromHex = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, 'hex'));

/** Who brings what was delivered into its lane again. */
export const forwardedMove = (row: Row, act: LaneAct): Move => ({
  ...act,
  seq: Number(row['seq']),
  id: String(row['id']),
  from: 'delivered',
  to: 'queued',
  reason: 'reforward',
});

/** Both sides of a conflict are what a chart says. */
const sidesPlace = (name: string): string => `foreign_change.sides_sealed/${name}`;
export const sealSides = (vault: Vault, { name, sides }: Pick<SeenChange, 'name' | 'sides'>): Buffer | null =>
  sides === null ? null : vault.seal(Buffer.from(JSON.stringify(sides)), sidesPlace(name));
const openSides = (vault: Vault, sealed: unknown, name: string): BothSides | null =>
  sealed instanceof Uint8Array ? (JSON.parse(vault.open(sealed, sidesPlace(name)).toString()) as BothSides) : null;

export const toSeenChange = (row: Row, vault: Vault): SeenChange => {
  const name = nameOf(row);
  return {
    name,
    resourceType: String(row['resource_type']),
    id: openId(vault, row['resource_id_sealed'] as Uint8Array, name),
    versionId: text(row['version_id']),
    fingerprint: fingerprintIn(row['fingerprint']),
    sides: openSides(vault, row['sides_sealed'], name),
    seenAt: Number(row['seen_at']),
    decision: text(row['decision']) as Decision | null,
  };
};

/** How many attempts a person is shown, and of how many it is kept what the EHR said. */
export const ATTEMPTS_SHOWN = 20;

export const toAttempt = (row: Row): ShownAttempt => ({
  id: String(row['id']),
  kind: row['kind'] as ShownAttempt['kind'],
  startedAt: Number(row['started_at']),
  endedAt: numberOrNull(row['ended_at']),
  outcome: text(row['outcome']),
  faultCode: text(row['fault_code']),
  httpStatus: numberOrNull(row['http_status']),
  issues: JSON.parse(text(row['issues']) ?? '[]') as ShownAttempt['issues'],
});

export const toWrote = ({ resourceType, id, versionId, writtenAt, retractedAt }: LedgerEntry): WroteResource => ({
  resourceType,
  id,
  versionId,
  writtenAt,
  retractedAt,
});

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export const toTarget = (row: Row | undefined): TargetRow => ({
  pausedAt: numberOrNull(row?.['paused_at']),
  pausedBy: text(row?.['paused_by']),
  habits: text(row?.['habits']),
});

export const chartIndex = (vault: Vault, reference: string): Buffer => vault.index('chart', reference);

export const plansOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => Buffer.from(row['plan_digest'] as Uint8Array).toString('hex'));

/** Without somebody who serves it for so long, a database may be one that was restored. */
export const GAP_MS = 60_000;
/** More than a clock that is set right little by little goes back between two looks at it. */
export const JUMP_MS = 2_000;

/** Kinds of failures of which few in a row are worth making; any other end of an attempt begins anew. */
export const isFew = (outcome: Outcome): boolean => 'patience' in outcome && outcome.patience === 'few';

export const jobOf = (row: Row): Claimed['job'] => ({
  seq: Number(row['seq']),
  kind: row['kind'] as Claimed['job']['kind'],
  attempts: Number(row['attempts']),
  fewInARow: Number(row['few_in_a_row']),
  firstAttemptAt: row['first_attempt_at'] === null ? null : Number(row['first_attempt_at']),
  because: row['because'] === 'revoked' ? 'revoked' : 'relinked',
});

export const doubtOf = (row: Row): number | null => {
  const at = row['doubt_at'];
  return at === null || at === undefined ? null : Number(at);
};

/**
 * A time of the past that lies ahead was told by a clock that was: it is taken to be now, and what is counted from it
 * begins now.
 */
export function withoutAhead<R extends Row>(row: R, at: Date): { readonly row: R; readonly wasAhead: boolean } {
  const now = at.getTime();
  const [doubt, first] = [Number(row['doubt_at'] ?? 0), Number(row['first_attempt_at'] ?? 0)];
  if (doubt <= now && first <= now) return { row, wasAhead: false };
  const times = { ...(doubt > now ? { doubt_at: now } : {}), ...(first > now ? { first_attempt_at: now } : {}) };
  return { row: { ...row, ...times }, wasAhead: true };
}

export const deliveryOf = (row: Row): Claimed['delivery'] => ({
  seq: Number(row['delivery_seq']),
  id: String(row['id']),
  requestId: String(row['request_id']),
  traceId: text(row['trace_id']),
  receivedAt: Number(row['received_at']),
  stateAt: Number(row['state_at'] ?? row['received_at']),
});

/** An outcome as the attempt's row and the audit record name it. */
const OUTCOMES: Readonly<Record<Outcome['kind'], { readonly word: string; readonly code: AuditDraft['outcome'] }>> = {
  delivered: { word: 'delivered', code: '0' },
  retry: { word: 'retry', code: '4' },
  unknown: { word: 'unknown', code: '8' },
  park: { word: 'parked', code: '8' },
  'put-back': { word: 'put-back', code: '4' },
};
export const outcomeWord = ({ kind }: Outcome): string => OUTCOMES[kind].word;
export const faultOf = (outcome: Outcome): string | null =>
  'faultCode' in outcome ? (outcome.faultCode ?? null) : null;

/** One word for all that an attempt did: of several kinds, that the chart was changed. */
function actionOf(written: Finish['written'], retracted: Finish['retracted']): AuditDraft['action'] {
  if (written === null) return retracted.length > 0 ? 'D' : 'U';
  const { changed, created } = written.counts;
  return changed > 0 && changed === created && retracted.length === 0 ? 'C' : 'U';
}

/** What was written to whose chart, in counts and keyed hashes. */
export const auditOfFinish = (
  vault: Vault,
  { fence, at, outcome, written, retracted, attemptId }: Finish,
  { id, requestId, traceId }: Claimed['delivery'],
): AuditDraft => {
  const why = faultOf(outcome);
  return {
    at,
    type: 'ehr.write',
    tenant: fence.tenant,
    requestId,
    action: actionOf(written, retracted),
    outcome: OUTCOMES[outcome.kind].code,
    actor: 'gateway',
    deliveryId: id,
    patientHash: patientPseudonym(vault, fence.patient),
    to: outcomeWord(outcome),
    ...(attemptId === null ? {} : { attemptId }),
    ...(why === null ? {} : { why }),
    counts: {
      written: written?.counts.written ?? 0,
      created: written?.counts.created ?? 0,
      retracted: retracted.length,
    },
    ...(written === null ? {} : { resources: written.resources }),
    ...(traceId === null ? {} : { traceId }),
  };
};

/** What a person did to lanes. */
export const auditOfAct = (
  { at, tenant, requestId, ...who }: LaneAct,
  what: Pick<AuditDraft, 'why' | 'to' | 'count' | 'deliveryId'>,
): AuditDraft => ({ at, type: 'admin', tenant, requestId, action: 'U', outcome: '0', ...actorOf(who), ...what });

/** The moves that lead to `sending` from where the last attempt left a delivery. */
export function stepsToSending(state: State): readonly Pick<Move, 'from' | 'to' | 'reason'>[] {
  const send = { from: 'queued', to: 'sending', reason: null } as const;
  const readBack = { from: 'unknown', to: 'queued', reason: 'read-back' } as const;
  if (state === 'sending') return [{ from: 'sending', to: 'unknown', reason: 'lease-lost' }, readBack, send];
  return state === 'unknown' ? [readBack, send] : [send];
}

/** A retraction that cannot be carried out stays owed: what waits for it goes on waiting. */
export const endOf = (outcome: Outcome, isRetraction: boolean): 'done' | 'cancelled' | 'parked' => {
  if (outcome.kind === 'delivered') return 'done';
  return isRetraction ? 'parked' : 'cancelled';
};

/**
 * Where a delivery goes that is tried again. One of which the last attempt is in doubt stays in doubt until it was
 * looked up.
 */
export function stepBack(
  from: State,
  { attemptId, outcome, isResolved }: Finish,
): Pick<Move, 'from' | 'to' | 'reason'> | null {
  const reason = faultOf(outcome);
  if (from === 'unknown') return isResolved ? { from, to: 'queued', reason } : null;
  if (from !== 'sending') return null;
  return attemptId === null && !isResolved
    ? { from, to: 'unknown', reason: 'lease-lost' }
    : { from, to: 'queued', reason };
}

/** What every change of a delivery by a lane has in common. */
export const moveOf = ({ seq, id, requestId }: Claimed['delivery'], tenant: string, at: Date) => ({
  tenant,
  seq,
  id,
  actor: 'gateway',
  at,
  requestId,
});
