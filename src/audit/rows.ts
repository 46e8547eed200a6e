import type { Vault } from '../store/index.ts';
import type { Dropped, FoundRecord, Pair, Place, Search, StoredChain, StoredCheckpoint, StoredRecord } from './commands.ts';
import { chartPseudonym, mrnPseudonym } from './pseudonym.ts';
import { openSealed, type AuditRecord } from './record.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const bytes = (value: unknown): Uint8Array => value as Uint8Array;

export const RECORD = 'seq, at, tenant, type, outcome, request_id, delivery_id, client, patient, chart, record, leaf, link';

export const toStoredRecord = (row: Row): StoredRecord => ({
  seq: Number(row['seq']),
  record: String(row['record']),
  leaf: bytes(row['leaf']),
  link: bytes(row['link']),
  columns: {
    atMs: Number(row['at']),
    tenant: String(row['tenant']),
    type: String(row['type']),
    outcome: String(row['outcome']),
    requestId: String(row['request_id']),
    deliveryId: text(row['delivery_id']),
    client: text(row['client']),
    patient: text(row['patient']),
    chart: text(row['chart']),
  },
});

export const toStoredChain = (row: Row): StoredChain => ({
  chain: String(row['chain']),
  previous: text(row['previous']),
  firstLink: bytes(row['first_link']),
  covered: Number(row['covered']),
});

export const toStoredCheckpoint = (row: Row): StoredCheckpoint => ({
  n: Number(row['n']),
  atMs: Number(row['at']),
  records: Number(row['records']),
  note: String(row['note']),
  frontier: bytes(row['frontier']),
});

export const DROPPED =
  'SELECT s.checkpoint, c.note FROM audit_segment s JOIN audit_checkpoint c ON c.n = s.named_by ORDER BY s.checkpoint DESC LIMIT 1';
/** No name of a chain can hold this. */
export const ROTATIONS = `SELECT n, note FROM audit_checkpoint WHERE note LIKE '%key chartgate/audit+%' ORDER BY n`;
export const toNote = (row: Row) => ({ n: Number(row['n']), note: String(row['note']) });

export const ENDS = 'SELECT chain, seq, link FROM audit_dropped ORDER BY chain';
export const toDropped = (row: Row | undefined, ends: readonly Row[]): Dropped | null =>
  row === undefined
    ? null
    : {
        checkpoint: Number(row['checkpoint']),
        note: String(row['note']),
        ends: ends.map((end) => ({ chain: String(end['chain']), seq: Number(end['seq']), link: bytes(end['link']) })),
      };

/** The last of each chain among what is removed: what stays of it stands on that. */
export function endsOf(rows: readonly Row[]): Dropped['ends'] {
  const ends = new Map<string, Dropped['ends'][number]>();
  for (const row of rows) {
    const [chain, seq] = [String(row['chain']), Number(row['seq'])];
    if (seq > (ends.get(chain)?.seq ?? 0)) ends.set(chain, { chain, seq, link: bytes(row['link']) });
  }
  return [...ends.values()];
}

export const ONE_RECORD = 'SELECT at, chain, seq, record FROM audit_record WHERE tenant = ? AND chain = ? AND seq = ?';

export const toPair = (row: Row): Pair => ({
  tenant: String(row['tenant']),
  patient: String(row['patient']),
  chart: String(row['chart']),
});
/** The place before all others, since no name is empty. */
export const FIRST_PAIR: Pair = { tenant: '', patient: '', chart: '' };
export const PAIRS =
  'SELECT tenant, patient, chart FROM audit_chart WHERE (tenant, patient, chart) > (?, ?, ?) ORDER BY tenant, patient, chart LIMIT ?';

/** From chain to chain along the index: as many steps as there are chains, not records. */
export const STRAY = `WITH RECURSIVE c (chain) AS (
    SELECT min(chain) FROM audit_record
    UNION ALL SELECT (SELECT min(r.chain) FROM audit_record r WHERE r.chain > c.chain) FROM c WHERE c.chain IS NOT NULL)
  SELECT c.chain, 1 AS seq FROM c WHERE c.chain IS NOT NULL AND NOT EXISTS (SELECT 1 FROM audit_chain k WHERE k.chain = c.chain) LIMIT 1`;
export const toStray = (row: Row | undefined) =>
  row === undefined ? null : { chain: String(row['chain']), seq: Number(row['seq']) };

export function toFound(row: Row, vault: Vault, sealed: Search['sealed']): FoundRecord {
  const record = String(row['record']);
  return {
    atMs: Number(row['at']),
    chain: String(row['chain']),
    seq: Number(row['seq']),
    record,
    opened: sealed === 'open' ? openSealed(vault, JSON.parse(record) as AuditRecord) : null,
  };
}

export type Cell = string | number;
export type Condition = readonly [sql: string, ...values: Cell[]];

/** Spelled as in the schema, or the engines would not use the index. */
export const BULK = "('hook.accept','delivery.change','ehr.write','ehr.read','fhir.read','fhir.search')";

const isBulk = (type: string): boolean => BULK.includes(`'${type}'`);
const ofTypes = ([first = '', ...more]: readonly string[]): Condition =>
  more.length === 0 ? ['type = ?', first] : [`type IN (${['?', ...more.map(() => '?')].join(', ')})`, first, ...more];

/** Everything but the person. */
export function conditionsOf(f: Search): Condition[] {
  return [
    ['tenant = ?', f.tenant],
    ...(f.client === null ? [] : [['client = ?', f.client] as const]),
    ...(f.delivery === null ? [] : [['delivery_id = ?', f.delivery] as const]),
    ...(f.request === null ? [] : [['request_id = ?', f.request] as const]),
    ...(f.types === null ? [] : [ofTypes(f.types)]),
    ...(f.types === null || f.types.some(isBulk) ? [] : [[`type NOT IN ${BULK}`] as const]),
    ...(f.outcome === null || f.outcome === '0' ? [] : [[`outcome <> '0'`] as const]),
    ...(f.outcome === null || f.outcome === 'refused' ? [] : [['outcome = ?', f.outcome] as const]),
    ...(f.fromMs === null ? [] : [['at >= ?', f.fromMs] as const]),
    ...(f.toMs === null ? [] : [['at < ?', f.toMs] as const]),
    ...(f.before === null ? [] : [['(at, chain, seq) < (?, ?, ?)', f.before.atMs, f.before.chain, f.before.seq] as const]),
    // The row value alone does not narrow the index on every engine.
    ...(f.before === null ? [] : [['at <= ?', f.before.atMs] as const]),
  ];
}

/** Under which names a person may stand in the audit: what is asked for, and what is known to be the same. */
export const PAIRS_OF = {
  patient: 'SELECT chart AS other FROM audit_chart WHERE tenant = ? AND patient = ?',
  chart: 'SELECT patient AS other FROM audit_chart WHERE tenant = ? AND chart = ?',
} as const;

export type Person = { readonly by: 'patient' | 'chart'; readonly name: string };

export function personOf(vault: Vault, { patient, chart }: Search): Person | null {
  if (patient !== null) return { by: 'patient', name: mrnPseudonym(vault, patient.system, patient.mrn) };
  return chart === null ? null : { by: 'chart', name: chartPseudonym(vault, chart) };
}

export const sameAs = (person: Person, others: readonly Row[]): readonly Condition[] => [
  [`${person.by} = ?`, person.name],
  ...others.map((row): Condition => [`${person.by === 'patient' ? 'chart' : 'patient'} = ?`, String(row['other'])]),
];

export const ORDER = 'ORDER BY at DESC, chain DESC, seq DESC LIMIT ?';

const isNewer = (a: Place, b: Place): number =>
  b.atMs - a.atMs || (a.chain === b.chain ? b.seq - a.seq : a.chain < b.chain ? 1 : -1);

/** The newest of several lists, each once. */
export function mergeFound(lists: readonly (readonly FoundRecord[])[], limit: number): FoundRecord[] {
  const all = new Map(lists.flat().map((one) => [`${one.chain}/${one.seq}`, one]));
  return [...all.values()].sort(isNewer).slice(0, limit);
}
