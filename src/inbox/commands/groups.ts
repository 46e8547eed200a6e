import { all, among, get, words, type CommandContext, type Program } from '../../store/index.ts';
import type { InboxReads, StuckGroup } from '../commands.ts';
import { LISTED, toListed } from '../rows.ts';
import { STUCK, type StuckState } from '../state.ts';

/** Exact up to here. */
const COUNT_MAX = 10_000;
const EXAMPLES = 3;
/** So many of the newest deliveries of a group are asked whose they are. */
const LOOK = 5_000;
/** Words of the statement: PostgreSQL would plan for any number of rows where it is a value. */
const TO_LOOK = words(`LIMIT ${LOOK}`);
const LISTED_COLUMNS = words(LISTED);

/** The words of the index `delivery_stuck`: without them it is not used. */
const IS_STUCK = words(`state IN ('parked','quarantined')`);
const FAULT = words(`coalesce(fault_code, '')`);

/** From one group to the next along the index, however many deliveries are in each. */
function* nextReason(tenant: string, state: StuckState, after: string): Program<string | null> {
  const row = yield* get`
    SELECT reason FROM delivery WHERE tenant = ${tenant} AND state = ${state} AND reason > ${after} AND ${IS_STUCK}
    ORDER BY reason LIMIT 1`;
  return row === undefined ? null : String(row['reason']);
}

function* nextFault(tenant: string, state: StuckState, reason: string, after: string): Program<string | null> {
  const row = yield* get`
    SELECT ${FAULT} AS fault FROM delivery
    WHERE tenant = ${tenant} AND state = ${state} AND reason = ${reason} AND ${FAULT} > ${after} AND ${IS_STUCK}
    ORDER BY ${FAULT} LIMIT 1`;
  return row === undefined ? null : String(row['fault']);
}

/** `fault` is empty for those without one. Null where nobody is in the group, or nobody is any more. */
function* groupOf(tenant: string, state: StuckState, reason: string, fault: string): Program<StuckGroup | null> {
  const counted = yield* get`
    SELECT count(*) AS n FROM (
      SELECT 1 FROM delivery
      WHERE tenant = ${tenant} AND state = ${state} AND reason = ${reason} AND ${FAULT} = ${fault} AND ${IS_STUCK}
      LIMIT ${COUNT_MAX + 1}) AS counted`;
  const newest = yield* all`
    SELECT id, received_at FROM delivery
    WHERE tenant = ${tenant} AND state = ${state} AND reason = ${reason} AND ${FAULT} = ${fault} AND ${IS_STUCK}
    ORDER BY seq DESC LIMIT ${EXAMPLES}`;
  const oldest = yield* get`
    SELECT received_at FROM delivery
    WHERE tenant = ${tenant} AND state = ${state} AND reason = ${reason} AND ${FAULT} = ${fault} AND ${IS_STUCK}
    ORDER BY seq LIMIT 1`;
  if (oldest === undefined || newest[0] === undefined) return null;
  const count = Number(counted?.['n']);
  return {
    state,
    reason,
    faultCode: fault === '' ? null : fault,
    count: Math.min(count, COUNT_MAX),
    isExact: count <= COUNT_MAX,
    oldestAt: Number(oldest['received_at']),
    newestAt: Number(newest[0]['received_at']),
    examples: newest.map(({ id }) => String(id)),
  };
}

type Groups = InboxReads['inbox.groups'];

export function* groups(_: CommandContext, { tenant }: Groups['args']): Program<Groups['out']> {
  const found: StuckGroup[] = [];
  for (const state of STUCK) {
    let reason = yield* nextReason(tenant, state, '');
    while (reason !== null) {
      let fault: string | null = '';
      while (fault !== null) {
        const group: StuckGroup | null = yield* groupOf(tenant, state, reason, fault);
        if (group !== null) found.push(group);
        fault = yield* nextFault(tenant, state, reason, fault);
      }
      reason = yield* nextReason(tenant, state, reason);
    }
  }
  return found;
}

type GroupUsers = InboxReads['inbox.group-users'];

export function* groupUsers(
  { vault }: CommandContext,
  { tenant, state, reason, faultCode, limit }: GroupUsers['args'],
): Program<GroupUsers['out']> {
  const counted = yield* all`
    SELECT user_index, count(*) AS n, min(received_at) AS oldest_at, max(received_at) AS newest_at, max(seq) AS newest
    FROM (SELECT user_index, received_at, seq FROM delivery
      WHERE tenant = ${tenant} AND state = ${state} AND reason = ${reason} AND ${FAULT} = ${faultCode ?? ''} AND ${IS_STUCK}
      ORDER BY seq DESC ${TO_LOOK}) AS looked
    GROUP BY user_index ORDER BY n DESC, newest DESC`;
  const looked = counted.reduce((sum, { n }) => sum + Number(n), 0);
  const most = counted.filter((row) => row['user_index'] !== null).slice(0, limit);
  const rows = yield* all`
    SELECT ${LISTED_COLUMNS} FROM delivery d WHERE d.seq ${among(
      'bigint',
      most.map(({ newest }) => Number(newest)),
    )}`;
  const bySeq = new Map(rows.map((row) => [Number(row['seq']), toListed(row, vault)]));
  const users = most.flatMap((row) => {
    const newest = bySeq.get(Number(row['newest']));
    if (newest === undefined || newest.userIndex === null) return [];
    const { userIndex, userId, id } = newest;
    const [oldestAt, newestAt] = [Number(row['oldest_at']), Number(row['newest_at'])];
    return [{ userIndex, userId, count: Number(row['n']), oldestAt, newestAt, example: id }];
  });
  return { users, isWhole: looked < LOOK };
}
