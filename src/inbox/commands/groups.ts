import { all, fragment, words, type CommandContext, type Program } from '../../store/index.ts';
import type { InboxReads, StuckGroup } from '../commands.ts';
import type { Row } from '../rows.ts';
import { STUCK, type StuckState } from '../state.ts';
import { FAULT_OF_D, IS_STUCK } from './stuck.ts';

/** So many deliveries are counted for all groups together, and of each group the most of these that this allows. */
const COUNTED_MAX = 100_000;
const COUNTS = [10_000, 5_000, 2_000, 1_000, 500, 200, 100] as const;

/** The first delivery of each group leads to the first of the next one, however many are in between. */
const GROUP_OF_G = words(`d.tenant = g.tenant AND d.state = g.state AND d.reason = g.reason`);
const FAULT_OF_G = words(`coalesce(g.fault_code, '')`);
const NEXT = fragment`coalesce(
  (SELECT d.seq FROM delivery d WHERE ${GROUP_OF_G} AND ${FAULT_OF_D} > ${FAULT_OF_G} AND ${IS_STUCK}
    ORDER BY ${FAULT_OF_D}, d.seq LIMIT 1),
  (SELECT d.seq FROM delivery d WHERE d.tenant = g.tenant AND d.state = g.state AND d.reason > g.reason AND ${IS_STUCK}
    ORDER BY d.reason, ${FAULT_OF_D}, d.seq LIMIT 1))`;
const groupsOf = (tenant: string, state: StuckState) => fragment`
  WITH RECURSIVE first_of (seq) AS (
    SELECT (SELECT d.seq FROM delivery d WHERE d.tenant = ${tenant} AND d.state = ${state} AND d.reason > ''
        AND ${IS_STUCK} ORDER BY d.reason, ${FAULT_OF_D}, d.seq LIMIT 1)
    UNION ALL SELECT ${NEXT} FROM first_of f JOIN delivery g ON g.seq = f.seq)`;

const OF_GROUP = fragment`FROM delivery d WHERE ${GROUP_OF_G} AND ${FAULT_OF_D} = ${FAULT_OF_G} AND ${IS_STUCK}`;
const NEWEST = fragment`${OF_GROUP} ORDER BY d.seq DESC LIMIT 1`;

const toGroup = (row: Row, state: StuckState, most: number): StuckGroup => {
  const [count, fault] = [Number(row['n']), String(row['fault'])];
  return {
    state,
    reason: String(row['reason']),
    faultCode: fault === '' ? null : fault,
    count: Math.min(count, most),
    isExact: count <= most,
    oldestAt: Number(row['oldest_at']),
    newestAt: Number(row['newest_at']),
    examples: [row['first_id'], row['second_id'], row['third_id']].filter((id) => typeof id === 'string'),
  };
};

function* countGroups(tenant: string, state: StuckState, most: number): Program<readonly StuckGroup[]> {
  const rows = yield* all`
    ${groupsOf(tenant, state)}
    SELECT g.reason, ${FAULT_OF_G} AS fault, g.received_at AS oldest_at,
      (SELECT count(*) FROM (SELECT 1 AS one ${OF_GROUP} LIMIT ${most + 1}) AS counted) AS n,
      (SELECT d.received_at ${NEWEST}) AS newest_at, (SELECT d.id ${NEWEST}) AS first_id,
      (SELECT d.id ${NEWEST} OFFSET 1) AS second_id, (SELECT d.id ${NEWEST} OFFSET 2) AS third_id
    FROM first_of f JOIN delivery g ON g.seq = f.seq ORDER BY g.reason, fault`;
  return rows.map((row) => toGroup(row, state, most));
}

type Groups = InboxReads['inbox.groups'];

export function* groups(_: CommandContext, { tenant }: Groups['args']): Program<Groups['out']> {
  let found = 0;
  for (const state of STUCK)
    found += (yield* all`${groupsOf(tenant, state)} SELECT seq FROM first_of WHERE seq IS NOT NULL`).length;
  const most = COUNTS.find((one) => one * found <= COUNTED_MAX) ?? COUNTS[COUNTS.length - 1] ?? 0;
  const counted: StuckGroup[] = [];
  for (const state of STUCK) counted.push(...(yield* countGroups(tenant, state, most)));
  return counted;
}
