import { ledgerCounts } from '../../inbox/index.ts';
import { get, only, part, words, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneReads } from '../commands.ts';
import type { Row } from '../rows.ts';
import { BY_STATE, UNDER_WAY } from './waiting.ts';

/*
 * How much waits. Asked by every look at the EHR and every scrape of the metrics, while the backlog may be of any
 * length: nothing is counted to its end that could be long.
 */

const LANES_MAX = 10_000;
/** Words of the statement: PostgreSQL would plan for any number of rows where it is a value, and walk all documents. */
const UP_TO = {
  lanes: words(`LIMIT ${LANES_MAX + 1}`),
  retractions: words('LIMIT 10000'),
  /** Each of those that were left out is looked up together with its document. */
  leftOut: words('LIMIT 1000'),
} as const;

/** SQLite would walk the lanes of everybody. */
const BY_READY = part('INDEXED BY lane_ready', '');
/** SQLite would walk everything that was ever delivered. */
const BY_LEFT_OUT = part('INDEXED BY delivery_left_out', '');

function* countOf(asked: Program<Row | undefined>): Program<number> {
  return Number((yield* asked)?.['n']);
}

/** State by state along the index: asked for several states at once, SQLite sorts the whole backlog. */
function* oldestUnderWay(tenant: string): Program<Row | null> {
  let oldest: Row | null = null;
  for (const state of UNDER_WAY) {
    const row = yield* get`
      SELECT seq, received_at FROM delivery WHERE tenant = ${tenant} AND state ${only('text', state)}
      ORDER BY ${BY_STATE} LIMIT 1`;
    if (row !== undefined && Number(row['seq']) < Number(oldest?.['seq'] ?? Infinity)) oldest = row;
  }
  return oldest;
}

/** Each delivery that is under way has one job in a lane, and each document that leaves a chart one more. */
function* jobsOf(tenant: string): Program<number> {
  const { byState } = yield* ledgerCounts(tenant);
  const leaving = yield* countOf(get`
    SELECT count(*) AS n FROM (
      SELECT 1 AS one FROM job
      WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'queued' AND kind = 'retract'
      ${UP_TO.retractions}) AS counted`);
  return UNDER_WAY.reduce((sum, state) => sum + byState[state], leaving);
}

type Lag = LaneReads['lane.lag'];

export function* lag(_: CommandContext, { tenant }: Lag['args']): Program<Lag['out']> {
  const lanes = yield* countOf(get`
    SELECT count(*) AS n FROM (
      SELECT 1 AS one FROM lane ${BY_READY}
      WHERE tenant = ${tenant} AND target = ${TARGET} AND pending > 0 ORDER BY next_at ${UP_TO.lanes}) AS counted`);
  const oldest = yield* oldestUnderWay(tenant);
  const retractionsParked = yield* countOf(get`
    SELECT count(*) AS n FROM (
      SELECT 1 AS one FROM job WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'parked'
      ${UP_TO.retractions}) AS counted`);
  const leftOut = yield* countOf(get`
    SELECT count(*) AS n FROM (
      SELECT d.tenant, d.document_index, d.seq FROM delivery d ${BY_LEFT_OUT}
      WHERE d.tenant = ${tenant} AND d.state = 'delivered' AND d.reason = 'left-out'
      ORDER BY d.seq DESC ${UP_TO.leftOut}) AS d
    JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq`);
  return {
    leftOut,
    retractionsParked,
    lanes: { count: Math.min(lanes, LANES_MAX), isExact: lanes <= LANES_MAX },
    jobs: yield* jobsOf(tenant),
    oldestAt: oldest === null ? null : Number(oldest['received_at']),
  };
}
