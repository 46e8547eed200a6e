import { appendSqlite } from '../audit/index.ts';
import type { SqliteContext } from '../store/index.ts';
import { auditOfMove, checkMove, type Move } from './move.ts';

export function count(
  { db, writer }: SqliteContext,
  tenant: string,
  first: readonly [string, number],
  second: readonly [string, number],
): void {
  db.run(
    `INSERT INTO ledger_count (tenant, writer, state, count) VALUES (?1, ?2, ?3, ?4), (?1, ?2, ?5, ?6)
     ON CONFLICT (tenant, state, writer) DO UPDATE SET count = count + excluded.count`,
    tenant,
    writer,
    ...first,
    ...second,
  );
}

/** Every change of state: the row, its step, the ledger and the audit record, in the one commit of the command. */
export function move(context: SqliteContext, m: Move): void {
  checkMove(m);
  const atMs = m.at.getTime();
  const { changes } = context.db.run(
    'UPDATE delivery SET state = ?, reason = ?, state_at = ? WHERE seq = ? AND state = ?',
    m.to,
    m.reason,
    atMs,
    m.seq,
    m.from,
  );
  if (changes !== 1) throw new Error('the delivery is not in the state that it was read in');
  context.db.run(
    `INSERT INTO delivery_step (seq, n, at, from_state, to_state, reason, fault_code, actor)
     SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5, ?7, ?6 FROM delivery_step WHERE seq = ?1`,
    m.seq,
    atMs,
    m.from,
    m.to,
    m.reason,
    m.actor,
    m.faultCode ?? null,
  );
  count(context, m.tenant, [m.from, -1], [m.to, 1]);
  appendSqlite(context, auditOfMove(m));
}
