import { userIndex, type PostgresOperations } from '../store/index.ts';
import type { InboxReads } from './commands.ts';
import { ACKNOWLEDGED, FAULT_CODE, KEYS, LISTED, toBody, toCounts, toDetailed, toListed, toReceived } from './rows.ts';
import { STATES } from './state.ts';

export const reads: PostgresOperations<InboxReads> = {
  'inbox.received': async ({ db, vault }, { tenant, receiver, othersBefore, othersAfter, after, limit, bytes }) => {
    const rows = await db.all(
      `WITH next AS (SELECT seq, body_bytes FROM delivery
         WHERE state = 'received' AND tenant = $1 AND seq > $2 AND (receiver = $3 OR state_at NOT BETWEEN $4 AND $5) ORDER BY seq LIMIT $6),
       page AS (SELECT seq, SUM(body_bytes) OVER (ORDER BY seq) - body_bytes AS earlier FROM next)
       SELECT ${KEYS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed
       FROM page p JOIN delivery d USING (seq) JOIN delivery_body b USING (seq) WHERE p.earlier < $7 ORDER BY d.seq`,
      tenant,
      after,
      receiver,
      othersBefore,
      othersAfter,
      limit,
      bytes,
    );
    return rows.map((row) => toReceived(row, vault));
  },
  'inbox.body': async ({ db, vault }, { tenant, id }) => {
    const row = await db.get(
      `SELECT ${KEYS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = $1 AND d.id = $2`,
      tenant,
      id,
    );
    return row === undefined ? null : toBody(row, vault);
  },
  'inbox.list': async ({ db, vault }, f) => {
    const rows = await db.all(
      `SELECT ${LISTED} FROM delivery d WHERE tenant = $1 AND ($2::text IS NULL OR state = $2::text) AND ($3::text IS NULL OR reason = $3::text)
         AND ($4::text IS NULL OR data_structure = $4::text) AND ($5::bytea IS NULL OR user_index = $5::bytea) AND ($6::bigint IS NULL OR seq < $6::bigint)
         AND ($8::text IS NULL OR ${FAULT_CODE} = $8::text)
       ORDER BY seq DESC LIMIT $7`,
      f.tenant,
      f.state,
      f.reason,
      f.dataStructure,
      f.client === null || f.user === null ? null : userIndex(vault, f.client, f.user),
      f.before,
      f.limit,
      f.faultCode,
    );
    return rows.map((row) => toListed(row, vault));
  },
  'inbox.get': async ({ db, vault }, { tenant, id }) => {
    const row = await db.get(
      `SELECT ${LISTED}, request_id, sender, user_sealed, duplicate_of, (EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq))::int AS has_body
       FROM delivery d WHERE tenant = $1 AND id = $2`,
      tenant,
      id,
    );
    if (row === undefined) return null;
    const steps = await db.all(
      'SELECT at, from_state, to_state, reason, fault_code, actor FROM delivery_step WHERE seq = $1 ORDER BY n',
      row['seq'],
    );
    const original =
      row['duplicate_of'] === null ? undefined : await db.get('SELECT id FROM delivery WHERE seq = $1', row['duplicate_of']);
    return toDetailed(row, steps, original, vault);
  },
  'inbox.ledger': async ({ db }, { tenant }) =>
    toCounts(
      await db.all('SELECT state, sum(count)::bigint AS count FROM ledger_count WHERE tenant = $1 GROUP BY state', tenant),
    ),
  'inbox.recount': async ({ db }, { tenant }) => {
    const rows = await db.all(
      'SELECT state, count(*) AS count FROM delivery WHERE tenant = $1 AND state = ANY($2::text[]) GROUP BY state',
      tenant,
      STATES,
    );
    return toCounts([...rows, { state: ACKNOWLEDGED, count: rows.reduce((sum, row) => sum + Number(row['count']), 0) }]);
  },
};
