import { all, allOf, fragment, get, typed, userIndex, words, type Programs } from '../../store/index.ts';
import type { InboxReads } from '../commands.ts';
import { groups } from './groups.ts';
import { work } from './work.ts';
import { ACKNOWLEDGED, FAULT_CODE, KEYS, LISTED, toBody, toCounts, toDetailed, toListed, toReceived } from '../rows.ts';
import { STATES } from '../state.ts';

const [KEY_COLUMNS, LISTED_COLUMNS, FAULT_COLUMN] = [words(KEYS), words(LISTED), words(FAULT_CODE)];

export const reads: Programs<InboxReads> = {
  *'inbox.received'({ vault }, { tenant, receiver, othersBefore, othersAfter, after, limit, bytes }) {
    const rows = yield* all`
      WITH next AS (SELECT seq, body_bytes FROM delivery
        WHERE state = 'received' AND tenant = ${tenant} AND seq > ${after}
          AND (receiver = ${receiver} OR state_at NOT BETWEEN ${othersBefore} AND ${othersAfter})
        ORDER BY seq LIMIT ${limit}),
      page AS (SELECT seq, SUM(body_bytes) OVER (ORDER BY seq) - body_bytes AS earlier FROM next)
      SELECT ${KEY_COLUMNS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed
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
  *'inbox.list'({ vault }, f) {
    const user = f.client === null || f.user === null ? null : userIndex(vault, f.client, f.user);
    const conditions = [
      fragment`tenant = ${f.tenant}`,
      ...(f.state === null ? [] : [fragment`state = ${f.state}`]),
      ...(f.reason === null ? [] : [fragment`reason = ${f.reason}`]),
      ...(f.faultCode === null ? [] : [fragment`${FAULT_COLUMN} = ${f.faultCode}`]),
      ...(f.dataStructure === null ? [] : [fragment`data_structure = ${f.dataStructure}`]),
      ...(user === null ? [] : [fragment`user_index = ${user}`]),
      ...(f.before === null ? [] : [fragment`seq < ${f.before}`]),
    ];
    const rows = yield* all`
      SELECT ${LISTED_COLUMNS} FROM delivery d WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${f.limit}`;
    return rows.map((row) => toListed(row, vault));
  },
  *'inbox.get'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${LISTED_COLUMNS}, request_id, sender, user_sealed, duplicate_of,
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
  'inbox.work': work,
  *'inbox.ledger'(_, { tenant }) {
    return toCounts(
      yield* all`SELECT state, sum(count) AS count FROM ledger_count WHERE tenant = ${tenant} GROUP BY state`,
    );
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
