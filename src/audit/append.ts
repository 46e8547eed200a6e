import { get, insert, part, rowsOf, run, type CommandContext, type Memorable, type Program } from '../store/index.ts';
import type { Pair } from './commands.ts';
import { extendChain, firstLink, type AuditDraft, type Link } from './record.ts';

/** The end of a chain. */
interface Head {
  readonly seq: number;
  readonly link: Uint8Array;
}

/** How this writer left the audit: the end of its chain, and which pairs stand in `audit_chart`. */
const LEFT: Memorable<{ head: Head | null; readonly pairs: Set<string> }> = {
  fresh: () => ({ head: null, pairs: new Set() }),
};
const PAIRS_MAX = 5_000;

/**
 * SQLite has one writer at a time, so its chains follow each other by their numbers. On PostgreSQL several grow beside
 * each other.
 */
const WHERE_LATEST = part('ORDER BY c.n DESC LIMIT 1', 'WHERE false');

/** The end of the chain of this writer, as it is stored; opens it for its first record. */
function* headOf({ writer }: CommandContext, atMs: number): Program<Head> {
  const last = yield* get`SELECT seq, link FROM audit_record WHERE chain = ${writer} ORDER BY seq DESC LIMIT 1`;
  if (last !== undefined) return { seq: Number(last['seq']), link: last['link'] as Uint8Array };
  const opened = yield* get`SELECT first_link FROM audit_chain WHERE chain = ${writer}`;
  if (opened !== undefined) return { seq: 0, link: opened['first_link'] as Uint8Array };
  const before = yield* get`
    SELECT c.chain, coalesce((SELECT link FROM audit_record r WHERE r.chain = c.chain
      ORDER BY seq DESC LIMIT 1), c.first_link) AS link
    FROM audit_chain c ${WHERE_LATEST}`;
  const link = firstLink(writer, (before?.['link'] ?? null) as Uint8Array | null);
  const previous = (before?.['chain'] ?? null) as string | null;
  yield* run`INSERT INTO audit_chain (chain, opened_at, previous, first_link)
    VALUES (${writer}, ${atMs}, ${previous}, ${link})`;
  return { seq: 0, link };
}

const AUDIT_RECORD = rowsOf('audit_record', {
  chain: 'text',
  seq: 'bigint',
  at: 'bigint',
  tenant: 'text',
  type: 'text',
  outcome: 'text',
  request_id: 'text',
  delivery_id: 'text',
  client: 'text',
  patient: 'text',
  chart: 'text',
  record: 'text',
  leaf: 'bytea',
  link: 'bytea',
});

const AUDIT_CHART = rowsOf('audit_chart', { tenant: 'text', patient: 'text', chart: 'text' }, 'ON CONFLICT DO NOTHING');

/**
 * Which chart a patient's records name, where that is not known to be stored. In one order for all writers: two that
 * know the same people would otherwise wait for each other.
 */
function* keepPairs(known: Set<string>, links: readonly Link[]): Program<void> {
  const pairs = new Map<string, Pair>();
  for (const { columns } of links) {
    const { tenant, patient, chart } = columns;
    if (patient === null || chart === null) continue;
    const key = JSON.stringify([tenant, patient, chart]);
    if (!known.has(key)) pairs.set(key, { tenant, patient, chart });
  }
  const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
  yield* insert(
    AUDIT_CHART,
    sorted.map(([, { tenant, patient, chart }]) => ({ tenant, patient, chart })),
  );
  if (known.size + sorted.length > PAIRS_MAX) known.clear();
  for (const [key] of sorted) known.add(key);
}

const rowOf = (chain: string, { seq, record, leaf, link, columns: c }: Link) => ({
  chain,
  seq,
  at: c.atMs,
  tenant: c.tenant,
  type: c.type,
  outcome: c.outcome,
  request_id: c.requestId,
  delivery_id: c.deliveryId,
  client: c.client,
  patient: c.patient,
  chart: c.chart,
  record,
  leaf,
  link,
});

/** Appends inside the command that they belong to: all are stored, or none. */
export function* append(context: CommandContext, drafts: readonly AuditDraft[]): Program<void> {
  const [first] = drafts;
  if (first === undefined) return;
  const { vault, writer } = context;
  const left = context.memory.recall(LEFT);
  let head = left.head ?? (yield* headOf(context, first.at.getTime()));
  const links: Link[] = [];
  for (const draft of drafts) {
    const next = extendChain(vault, writer, head.seq + 1, head.link, draft);
    links.push(next);
    head = next;
  }
  // Until they are stored it is not known how many of them are.
  left.head = null;
  yield* insert(
    AUDIT_RECORD,
    links.map((link) => rowOf(writer, link)),
  );
  left.head = { seq: head.seq, link: head.link };
  yield* keepPairs(left.pairs, links);
}
