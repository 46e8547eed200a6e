import { userIndex, type SqliteOperations } from '../store/index.ts';
import type { InboxReads } from './commands.ts';
import { ACKNOWLEDGED, FAULT_CODE, KEYS, LISTED, toBody, toCounts, toDetailed, toListed, toReceived } from './rows.ts';
import { STATES } from './state.ts';

type Cell = string | number | Uint8Array | null;

export const reads: SqliteOperations<InboxReads> = {
  'inbox.received': ({ db, vault }, { tenant, receiver, othersBefore, othersAfter, after, limit, bytes }) =>
    db
      .all(
        `WITH next AS (SELECT seq, body_bytes FROM delivery
           WHERE state = 'received' AND tenant = ? AND seq > ? AND (receiver = ? OR state_at NOT BETWEEN ? AND ?) ORDER BY seq LIMIT ?),
         page AS (SELECT seq, SUM(body_bytes) OVER (ORDER BY seq) - body_bytes AS earlier FROM next)
         SELECT ${KEYS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed
         FROM page p JOIN delivery d USING (seq) JOIN delivery_body b USING (seq) WHERE p.earlier < ? ORDER BY d.seq`,
        tenant,
        after,
        receiver,
        othersBefore,
        othersAfter,
        limit,
        bytes,
      )
      .map((row) => toReceived(row, vault)),
  'inbox.body': ({ db, vault }, { tenant, id }) => {
    const row = db.get(
      `SELECT ${KEYS}, d.seq, d.id, d.hook, d.request_id, d.received_at, b.sealed FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = ? AND d.id = ?`,
      tenant,
      id,
    );
    return row === undefined ? null : toBody(row, vault);
  },
  'inbox.list': ({ db, vault }, f) => {
    const user = f.client === null || f.user === null ? null : userIndex(vault, f.client, f.user);
    const conditions: [string, Cell][] = [
      ['tenant = ?', f.tenant],
      ...(f.state === null ? [] : [['state = ?', f.state] as [string, Cell]]),
      ...(f.reason === null ? [] : [['reason = ?', f.reason] as [string, Cell]]),
      ...(f.faultCode === null ? [] : [[`${FAULT_CODE} = ?`, f.faultCode] as [string, Cell]]),
      ...(f.dataStructure === null ? [] : [['data_structure = ?', f.dataStructure] as [string, Cell]]),
      ...(user === null ? [] : [['user_index = ?', user] as [string, Cell]]),
      ...(f.before === null ? [] : [['seq < ?', f.before] as [string, Cell]]),
    ];
    const where = conditions.map(([sql]) => sql).join(' AND ');
    return db
      .all(
        `SELECT ${LISTED} FROM delivery d WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        ...conditions.map(([, value]) => value),
        f.limit,
      )
      .map((row) => toListed(row, vault));
  },
  'inbox.get': ({ db, vault }, { tenant, id }) => {
    const row = db.get(
      `SELECT ${LISTED}, request_id, sender, user_sealed, duplicate_of, EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) AS has_body
       FROM delivery d WHERE tenant = ? AND id = ?`,
      tenant,
      id,
    );
    if (row === undefined) return null;
    const steps = db.all(
      'SELECT at, from_state, to_state, reason, fault_code, actor FROM delivery_step WHERE seq = ? ORDER BY n',
      Number(row['seq']),
    );
    const original =
      row['duplicate_of'] === null ? undefined : db.get('SELECT id FROM delivery WHERE seq = ?', Number(row['duplicate_of']));
    return toDetailed(row, steps, original, vault);
  },
  'inbox.ledger': ({ db }, { tenant }) =>
    toCounts(db.all('SELECT state, sum(count) AS count FROM ledger_count WHERE tenant = ? GROUP BY state', tenant)),
  'inbox.recount': ({ db }, { tenant }) => {
    const rows = STATES.map((state) => ({
      state: state,
      count: Number(db.get('SELECT count(*) AS n FROM delivery WHERE tenant = ? AND state = ?', tenant, state)?.['n']),
    }));
    return toCounts([...rows, { state: ACKNOWLEDGED, count: rows.reduce((sum, row) => sum + row.count, 0) }]);
  },
};
