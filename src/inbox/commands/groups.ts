import { all, get, words, type CommandContext, type Program } from '../../store/index.ts';
import type { InboxReads, StuckGroup } from '../commands.ts';
import { STUCK, type StuckState } from '../state.ts';

/** Exact up to here. */
const COUNT_MAX = 10_000;
const EXAMPLES = 3;

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
