import { all, get, only, part, typed, words, type Program, type Programs } from '../../store/index.ts';
import type { InboxReads } from '../commands.ts';
import { earlier } from './earlier.ts';
import { groups, groupUsers, groupWords } from './groups.ts';
import { ledgerCounts } from './ledger.ts';
import { work } from './work.ts';
import { ACKNOWLEDGED, KEYS, LISTED, toBody, toCounts, toDetailed, toProblemCount, toReceived } from '../rows.ts';
import { STATES } from '../state.ts';
import { count, list } from './list.ts';

const [KEY_COLUMNS, LISTED_COLUMNS] = [words(KEYS), words(LISTED)];

/** See `only`. */
const BY_STATE = part('seq', 'state, seq');

type Flow = InboxReads['inbox.flow'];

/** In the order of arrival each state is a walk along its index; all together would be sorted. */
function* oldestWaiting(tenant: string): Program<number | null> {
  const times: number[] = [];
  for (const state of ['received', 'queued', 'sending', 'unknown']) {
    const row = yield* get`
      SELECT received_at FROM delivery WHERE tenant = ${tenant} AND state ${only('text', state)}
      ORDER BY ${BY_STATE} LIMIT 1`;
    if (row !== undefined) times.push(Number(row['received_at']));
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** The condition is spelled as the index has it, or the engines would not use it. */
function* problemsOf({
  tenant,
  problemsFrom,
  problemsTo,
  problemsMax,
}: Flow['args']): Program<Flow['out']['problems']> {
  if (problemsFrom >= problemsTo) return { problems: [], isExact: true };
  const rows = yield* all`
    SELECT state, reason, count(*) AS n FROM (
      SELECT state, reason FROM delivery WHERE tenant = ${tenant} AND state IN ('parked','quarantined')
        AND state_at >= ${problemsFrom} AND state_at < ${problemsTo} ORDER BY state_at LIMIT ${problemsMax + 1}) AS p
    GROUP BY state, reason ORDER BY n DESC, state, reason`;
  const problems = rows.map(toProblemCount);
  return { problems, isExact: problems.reduce((sum, { count }) => sum + count, 0) <= problemsMax };
}

export const reads: Programs<InboxReads> = {
  *'inbox.received'({ vault }, { tenant, receiver, othersBefore, othersAfter, between, limit, bytes }) {
    const [after, before] = between;
    const rows = yield* all`
      WITH next AS (SELECT seq, body_bytes FROM delivery
        WHERE state = 'received' AND tenant = ${tenant} AND seq > ${after} AND seq < ${before ?? Number.MAX_SAFE_INTEGER}
          AND (receiver = ${receiver} OR state_at NOT BETWEEN ${othersBefore} AND ${othersAfter})
        ORDER BY seq LIMIT ${limit}),
      page AS (SELECT seq, SUM(body_bytes) OVER (ORDER BY seq) - body_bytes AS earlier FROM next)
      SELECT ${KEY_COLUMNS}, d.seq, d.id, d.hook, d.request_id, d.trace_id, d.received_at, b.sealed
      FROM page p JOIN delivery d USING (seq) JOIN delivery_body b USING (seq)
      WHERE p.earlier < ${typed('bigint', bytes)} ORDER BY d.seq`;
    return rows.map((row) => toReceived(row, vault));
  },
  *'inbox.body'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${KEY_COLUMNS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed
      FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = ${tenant} AND d.id = ${id}`;
    return row === undefined ? null : toBody(row, vault);
  },
  'inbox.list': list,
  'inbox.count': count,
  *'inbox.get'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${LISTED_COLUMNS}, request_id, sender, duplicate_of,
        EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) AS has_body
      FROM delivery d WHERE tenant = ${tenant} AND id = ${id}`;
    if (row === undefined) return null;
    const [seq, duplicateOf] = [Number(row['seq']), row['duplicate_of'] as number | null];
    const steps = yield* all`
      SELECT at, from_state, to_state, reason, fault_code, actor FROM delivery_step WHERE seq = ${seq} ORDER BY n`;
    const original = duplicateOf === null ? undefined : yield* get`SELECT id FROM delivery WHERE seq = ${duplicateOf}`;
    return toDetailed(row, steps, original, vault);
  },
  'inbox.groups': groups,
  'inbox.group-users': groupUsers,
  'inbox.group-words': groupWords,
  'inbox.earlier': earlier,
  *'inbox.flow'(_, asked) {
    const { tenant } = asked;
    const counts = yield* ledgerCounts(tenant);
    return { counts, oldestAt: yield* oldestWaiting(tenant), problems: yield* problemsOf(asked) };
  },
  'inbox.work': work,
  *'inbox.ledger'(_, { tenant }) {
    return yield* ledgerCounts(tenant);
  },
  *'inbox.recount'(_, { tenant }) {
    const rows: { readonly state: string; readonly count: number }[] = [];
    // One by one: each is a walk along the index of its state, and no sort of all deliveries.
    for (const state of STATES) {
      const row = yield* get`SELECT count(*) AS n FROM delivery WHERE tenant = ${tenant} AND state = ${state}`;
      rows.push({ state, count: Number(row?.['n']) });
    }
    return toCounts([...rows, { state: ACKNOWLEDGED, count: rows.reduce((sum, row) => sum + row.count, 0) }]);
  },
};
