import { openPatient } from '../../identity/index.ts';
import {
  all,
  among,
  now,
  only,
  part,
  words,
  type CommandContext,
  type Program,
  type Vault,
} from '../../store/index.ts';
import type { LaneReads } from '../commands.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Row } from '../rows.ts';
import { READY, STILL_LASTS } from './parts.ts';

/** How many deliveries a page looks through at most: most of a long backlog stand behind the head of their lane. */
const EXAMINED_MAX = 1_000;
/** How many at a time: where many lanes wait, the first few are as many heads as a page holds. */
const EXAMINED_AT_ONCE = 200;

/** See `only`. */
export const BY_STATE = part('seq', 'state, seq');

export const UNDER_WAY = ['queued', 'sending', 'unknown'] as const;

/** A time that a clock may have set to before all others. */
const NEXT_MS = part(
  'l.next_at',
  'CASE WHEN isfinite(l.next_at) THEN (extract(epoch FROM l.next_at) * 1000)::bigint ELSE 0 END',
);

const seqOf = (row: Row): number => Number(row['seq']);
const hexOf = (row: Row): string => Buffer.from(row['patient_index'] as Uint8Array).toString('hex');

/** The next deliveries that may be the head of a lane, oldest first. Each is asked for along an index. */
function* candidates(tenant: string, after: number, limit: number): Program<number[]> {
  const seqs = new Set<number>();
  for (const state of UNDER_WAY) {
    const rows = yield* all`
      SELECT seq FROM delivery WHERE tenant = ${tenant} AND state ${only('text', state)} AND seq > ${after}
      ORDER BY ${BY_STATE} LIMIT ${limit}`;
    for (const row of rows) seqs.add(seqOf(row));
  }
  const leaving = yield* all`
    SELECT delivery_seq AS seq FROM job
    WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'queued' AND kind = 'retract'
      AND delivery_seq > ${after}
    ORDER BY delivery_seq LIMIT ${limit}`;
  for (const row of leaving) seqs.add(seqOf(row));
  return [...seqs].sort((a, b) => a - b).slice(0, limit);
}

/** SQLite would walk every job that is queued. */
const BY_DELIVERY = part('INDEXED BY job_by_delivery', '');

const HEAD_OF_LANE = words(`(
  SELECT k.seq FROM job k
  WHERE k.tenant = j.tenant AND k.target = j.target AND k.patient_index = j.patient_index AND k.state = 'queued'
  ORDER BY k.delivery_seq, k.seq LIMIT 1)`);

/** Of these deliveries the jobs that are the oldest of their lane. */
function* headsAmong(tenant: string, seqs: readonly number[]): Program<Row[]> {
  const jobs = yield* all`
    SELECT j.seq, j.delivery_seq, ${HEAD_OF_LANE} AS head FROM job j ${BY_DELIVERY}
    WHERE j.delivery_seq ${among('bigint', seqs)} AND j.tenant = ${tenant} AND j.target = ${TARGET}
      AND j.state = 'queued'
    ORDER BY j.delivery_seq, j.seq`;
  return jobs.filter((row) => seqOf(row) === Number(row['head']));
}

/** `last`: up to where the backlog was looked through; null where it was to its end. */
interface Examined {
  readonly heads: readonly Row[];
  readonly last: number | null;
}

function* examine(tenant: string, after: number, limit: number): Program<Examined> {
  const atOnce = Math.min(EXAMINED_MAX, Math.max(EXAMINED_AT_ONCE, limit));
  const heads: Row[] = [];
  let from = after;
  for (let examined = 0; examined < EXAMINED_MAX; examined += atOnce) {
    const seqs = yield* candidates(tenant, from, atOnce);
    heads.push(...(yield* headsAmong(tenant, seqs)));
    if (seqs.length < atOnce) return { heads, last: null };
    from = seqs.at(-1) ?? from;
    if (heads.length >= limit) break;
  }
  return { heads, last: from };
}

/** Whom the lanes are of: any link to the patient names it. */
function* mrnsOf(vault: Vault, tenant: string, lanes: readonly Row[]): Program<ReadonlyMap<string, string>> {
  const links = yield* all`
    SELECT id, mrn_index AS patient_index, mrn_sealed FROM link
    WHERE tenant = ${tenant} AND mrn_index ${among('bytea', [...new Set(lanes.map(hexOf))])}`;
  return new Map(links.map((row) => [hexOf(row), openPatient(vault, row).mrn]));
}

type Waiting = LaneReads['lane.waiting'];

export function* waiting(
  { vault }: CommandContext,
  { tenant, after, limit, at, patients }: Waiting['args'],
): Program<Waiting['out']> {
  const { heads, last: examined } = yield* examine(tenant, after ?? 0, limit);
  const last = Number(heads[limit - 1]?.['delivery_seq'] ?? Infinity);
  // A delivery that leaves one chart for another is the head of two lanes: both stand on one page.
  const shown = heads.filter((head) => Number(head['delivery_seq']) <= last);
  const rows = yield* all`
    SELECT j.seq, j.kind, j.attempts, j.patient_index, d.id, d.received_at, l.pending, ${NEXT_MS} AS next_ms,
      CASE WHEN l.next_at <= ${now(at)} THEN 1 ELSE 0 END AS is_due,
      CASE WHEN l.lease_owner IS NOT NULL ${STILL_LASTS} THEN 1 ELSE 0 END AS is_leased,
      CASE WHEN ${READY} THEN 1 ELSE 0 END AS is_ready,
      (SELECT a.fault_code FROM attempt a WHERE a.job_seq = j.seq ORDER BY a.seq DESC LIMIT 1) AS fault_code
    FROM job j JOIN delivery d ON d.seq = j.delivery_seq
    JOIN lane l ON l.tenant = j.tenant AND l.target = j.target AND l.patient_index = j.patient_index
    WHERE j.seq ${among('bigint', shown.map(seqOf))} ORDER BY j.delivery_seq, j.seq`;
  const mrns = patients === 'open' ? yield* mrnsOf(vault, tenant, rows) : new Map<string, string>();
  const isMore = shown.length < heads.length || examined !== null;
  return {
    lanes: rows.map((row) => ({
      mrn: mrns.get(hexOf(row)) ?? null,
      kind: row['kind'] as 'deliver' | 'retract',
      deliveryId: String(row['id']),
      receivedAt: Number(row['received_at']),
      jobs: Number(row['pending']),
      attempts: Number(row['attempts']),
      faultCode: row['fault_code'] as string | null,
      nextAt: Number(row['is_due']) === 1 ? null : Number(row['next_ms']),
      isLeased: Number(row['is_leased']) === 1,
      isReady: Number(row['is_ready']) === 1,
    })),
    next: isMore ? Math.min(last, examined ?? Infinity) : null,
  };
}
