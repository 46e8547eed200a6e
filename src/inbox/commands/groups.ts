import {
  all,
  among,
  fragment,
  get,
  part,
  words,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import type { InboxReads } from '../commands.ts';
import { LISTED, toListed, type Row } from '../rows.ts';
import { STUCK, type StuckState } from '../state.ts';
import type { StuckGroup, StuckName } from '../stuck-group.ts';
import { FAULT_OF_D, IS_STUCK } from './stuck.ts';

/** So many deliveries are counted for all groups together, and of each group the most of these that this allows. */
const COUNTED_MAX = 50_000;
const COUNTS = [10_000, 5_000, 2_000, 1_000, 500, 200, 100] as const;
/** So many of the newest deliveries of a group are asked whose they are, and for which words they wait. */
const LOOK = 5_000;
/** Words of the statement: PostgreSQL would plan for any number of rows where it is a value. */
const TO_LOOK = words(`LIMIT ${LOOK}`);
const LISTED_COLUMNS = words(LISTED);

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

/** The newest deliveries of one group. */
const looked = (tenant: string, { state, reason, faultCode }: StuckName): Fragment => fragment`(
  SELECT d.user_index, d.received_at, d.seq FROM delivery d
  WHERE d.tenant = ${tenant} AND d.state = ${state} AND d.reason = ${reason} AND ${FAULT_OF_D} = ${faultCode ?? ''}
    AND ${IS_STUCK}
  ORDER BY d.seq DESC ${TO_LOOK})`;
const PART = words(
  `count(*) AS n, min(received_at) AS oldest_at, max(received_at) AS newest_at, max(looked.seq) AS newest`,
);

const toPart = (row: Row) => ({
  count: Number(row['n']),
  oldestAt: Number(row['oldest_at']),
  newestAt: Number(row['newest_at']),
});

type GroupUsers = InboxReads['inbox.group-users'];

export function* groupUsers(
  { vault }: CommandContext,
  { tenant, limit, ...group }: GroupUsers['args'],
): Program<GroupUsers['out']> {
  const counted = yield* all`
    SELECT user_index, ${PART} FROM ${looked(tenant, group)} AS looked
    GROUP BY user_index ORDER BY n DESC, newest DESC`;
  const sum = counted.reduce((so, { n }) => so + Number(n), 0);
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
    return [{ userIndex, userId, ...toPart(row), example: id }];
  });
  return { users, isWhole: sum < LOOK };
}

/** Asked so, PostgreSQL looks the words of each up, and does not gather all that anything waits for. */
const WITH_WORDS = part(
  'JOIN delivery_word w ON w.seq = looked.seq',
  'CROSS JOIN LATERAL (SELECT o.word_index FROM delivery_word o WHERE o.seq = looked.seq LIMIT 100) w',
);
const HAS_WORDS = words('(SELECT w.seq FROM delivery_word w WHERE w.seq = looked.seq LIMIT 1) IS NOT NULL');

type GroupWords = InboxReads['inbox.group-words'];

export function* groupWords(
  _: CommandContext,
  { tenant, limit, ...group }: GroupWords['args'],
): Program<GroupWords['out']> {
  const rows = yield* all`
    SELECT counted.*, (SELECT d.id FROM delivery d WHERE d.seq = counted.newest) AS example
    FROM (SELECT w.word_index, ${PART} FROM ${looked(tenant, group)} AS looked ${WITH_WORDS}
      GROUP BY w.word_index ORDER BY n DESC, newest DESC LIMIT ${limit}) AS counted
    ORDER BY counted.n DESC, counted.newest DESC`;
  const whole = yield* get`
    SELECT count(*) AS n, sum(CASE WHEN ${HAS_WORDS} THEN 0 ELSE 1 END) AS wordless
    FROM ${looked(tenant, group)} AS looked`;
  return {
    words: rows.map((row) => ({
      wordId: Buffer.from(row['word_index'] as Uint8Array).toString('hex'),
      ...toPart(row),
      example: String(row['example']),
    })),
    wordless: Number(whole?.['wordless'] ?? 0),
    isWhole: Number(whole?.['n']) < LOOK,
  };
}
