import { among, fragment, part, words, type Fragment, type Vault } from '../store/index.ts';
import type {
  Dropped,
  FoundRecord,
  Pair,
  Place,
  Search,
  StoredChain,
  StoredCheckpoint,
  StoredRecord,
} from './commands.ts';
import { chartPseudonym, mrnPseudonym } from './pseudonym.ts';
import { openSealed, type AuditRecord, type AuditType } from './record.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const bytes = (value: unknown): Uint8Array => value as Uint8Array;

export const RECORD = words(
  'seq, at, tenant, type, outcome, request_id, delivery_id, client, patient, chart, record, leaf, link',
);

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

export const toNote = (row: Row) => ({ n: Number(row['n']), note: String(row['note']) });

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

export const toPair = (row: Row): Pair => ({
  tenant: String(row['tenant']),
  patient: String(row['patient']),
  chart: String(row['chart']),
});
/** The place before all others, since no name is empty. */
export const FIRST_PAIR: Pair = { tenant: '', patient: '', chart: '' };

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

type Condition = ReturnType<typeof part>;
const listOf = (types: readonly AuditType[]): string => `(${types.map((type) => `'${type}'`).join(',')})`;
/** Spelled as in the schema, or the engines would not use the index; SQLite's compares types one by one. */
const noneOf = (types: readonly AuditType[]): Condition =>
  part(types.map((type) => `type <> '${type}'`).join(' AND '), `type NOT IN ${listOf(types)}`);
export const oneOf = (types: readonly AuditType[], and = ''): Condition =>
  part(`(${types.map((type) => `type = '${type}'`).join(' OR ')})${and}`, `type IN ${listOf(types)}${and}`);

const BULK_TYPES: readonly AuditType[] = [
  'hook.accept',
  'delivery.change',
  'ehr.write',
  'ehr.read',
  'fhir.read',
  'fhir.search',
];
/** Whatever there are not very many of. */
export const SELDOM = noneOf(BULK_TYPES);

const isBulk = (type: string): boolean => (BULK_TYPES as readonly string[]).includes(type);
const ofTypes = ([first = '', ...more]: readonly string[]): Fragment =>
  more.length === 0 ? fragment`type = ${first}` : fragment`type ${among('text', [first, ...more])}`;

const CHANGE: AuditType = 'delivery.change';
/** Canonical JSON: within a text the quotes would be escaped. */
const NAMES_STEPS = part(`instr(record, '"steps":[') > 0`, `strpos(record, '"steps":[') > 0`);

/** Changes of a delivery that an attempt brought stand in the record of the attempt. */
const tellsOf = (types: readonly string[]): Fragment =>
  types.includes(CHANGE) ? fragment`(${ofTypes(types)} OR (type = 'ehr.write' AND ${NAMES_STEPS}))` : ofTypes(types);

const typeLists = ({ types, tellingOf }: Search): readonly (readonly string[])[] =>
  types === null ? tellingOf : [types, ...tellingOf];
const isSeldom = (types: readonly string[]): boolean => !types.some(isBulk);

/** Whoever asks for a person is led by the index of persons: that of types would walk those of everybody. */
const isOfPerson = ({ patient, chart }: Search): boolean => patient !== null || chart !== null;

/** Everything but the patient and who acted. */
export function conditionsOf(f: Search): Fragment[] {
  return [
    fragment`tenant = ${f.tenant}`,
    ...(f.client === null ? [] : [fragment`client = ${f.client}`]),
    ...(f.delivery === null ? [] : [fragment`delivery_id = ${f.delivery}`]),
    ...(f.request === null ? [] : [fragment`request_id = ${f.request}`]),
    ...(f.types === null ? [] : [ofTypes(f.types)]),
    ...f.tellingOf.map(tellsOf),
    ...(!isOfPerson(f) && typeLists(f).some(isSeldom) ? [fragment`${SELDOM}`] : []),
    ...(f.outcome === null || f.outcome === '0' ? [] : [fragment`outcome <> '0'`]),
    ...(f.outcome === null || f.outcome === 'refused' ? [] : [fragment`outcome = ${f.outcome}`]),
    ...(f.fromMs === null ? [] : [fragment`at >= ${f.fromMs}`]),
    ...(f.toMs === null ? [] : [fragment`at < ${f.toMs}`]),
    ...(f.before === null ? [] : [fragment`(at, chain, seq) < (${f.before.atMs}, ${f.before.chain}, ${f.before.seq})`]),
    // The row value alone does not narrow the index on every engine.
    ...(f.before === null ? [] : [fragment`at <= ${f.before.atMs}`]),
  ];
}

/** Who acted. Spelled as in the schema, as what follows is, or the engines would not use the index. */
export const ACTOR = part(`json_extract(record, '$.actor')`, `(record::json ->> 'actor')`);
/** What people and machines did. */
export const ACTS = oneOf(
  ['admin', 'link.change', 'operator.sign-in', 'delivery.change'],
  ` AND substr(record, 1, 31) <> '{"action":"U","actor":"gateway"'`,
);
export const isActor = (name: string): Fragment => fragment`${ACTOR} = ${name} AND ${ACTS}`;

export type Person = { readonly by: 'patient' | 'chart'; readonly name: string };

export function personOf(vault: Vault, { patient, chart }: Search): Person | null {
  if (patient !== null) return { by: 'patient', name: mrnPseudonym(vault, patient.system, patient.mrn) };
  return chart === null ? null : { by: 'chart', name: chartPseudonym(vault, chart) };
}

const isNamed = (by: Person['by'], name: string): Fragment =>
  by === 'patient' ? fragment`patient = ${name}` : fragment`chart = ${name}`;

/** Under which names a person may stand in the audit: what is asked for, and what is known to be the same. */
export const sameAs = ({ by, name }: Person, others: readonly string[]): readonly Fragment[] => [
  isNamed(by, name),
  ...others.map((other) => isNamed(by === 'patient' ? 'chart' : 'patient', other)),
];

export const NEWEST_FIRST = words('ORDER BY at DESC, chain DESC, seq DESC');

const isNewer = (a: Place, b: Place): number =>
  b.atMs - a.atMs || (a.chain === b.chain ? b.seq - a.seq : a.chain < b.chain ? 1 : -1);

/** The newest of several lists, each once. */
export function mergeFound(lists: readonly (readonly FoundRecord[])[], limit: number): FoundRecord[] {
  const all = new Map(lists.flat().map((one) => [`${one.chain}/${one.seq}`, one]));
  return [...all.values()].sort(isNewer).slice(0, limit);
}

/** The audit orders by bytes; the ids of deliveries are found by an index in the order of the database. */
const AS_ELSEWHERE = part('', 'COLLATE "default"');

/** `id IN …`: the deliveries that this request brought. Deliveries themselves have no index by request. */
export const deliveriesOfRequest = (tenant: string, requestId: string): Fragment => fragment`(
  SELECT delivery_id ${AS_ELSEWHERE} FROM audit_record
  WHERE tenant = ${tenant} AND request_id = ${requestId} AND type = 'hook.accept')`;
