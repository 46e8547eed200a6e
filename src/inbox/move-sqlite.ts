import { appendSqlite } from '../audit/index.ts';
import type { SqliteContext } from '../store/index.ts';
import { mayFollow, type State } from './state.ts';

export function count({ db, writer }: SqliteContext, tenant: string, state: string, by: number): void {
  db.run(
    `INSERT INTO ledger_count (tenant, writer, state, count) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (tenant, state, writer) DO UPDATE SET count = count + ?4`,
    tenant,
    writer,
    state,
    by,
  );
}

export interface Move {
  readonly tenant: string;
  readonly seq: number;
  readonly id: string;
  readonly from: State;
  readonly to: State;
  readonly reason: string | null;
  readonly actor: string;
  readonly at: Date;
  readonly requestId: string;
}

/** Every change of state: the row, its step, the ledger and the audit record, in the one commit of the command. */
export function move(context: SqliteContext, m: Move): void {
  if (!mayFollow(m.from, m.to)) throw new Error(`${m.from} is not followed by ${m.to}`);
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
     SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5, NULL, ?6 FROM delivery_step WHERE seq = ?1`,
    m.seq,
    atMs,
    m.from,
    m.to,
    m.reason,
    m.actor,
  );
  count(context, m.tenant, m.from, -1);
  count(context, m.tenant, m.to, 1);
  appendSqlite(context, {
    at: m.at,
    type: 'delivery.change',
    tenant: m.tenant,
    requestId: m.requestId,
    action: 'U',
    outcome: '0',
    actor: m.actor,
    deliveryId: m.id,
    from: m.from,
    to: m.to,
    ...(m.reason === null ? {} : { why: m.reason }),
  });
}
