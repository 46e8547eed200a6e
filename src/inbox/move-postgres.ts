import { appendPostgres } from '../audit/index.ts';
import type { PostgresContext } from '../store/index.ts';
import { auditOfMove, checkMove, type Move } from './move.ts';

/** Sums by state first: each counter of this writer is touched once, and no other writer touches it. */
export async function count(
  { db, writer }: PostgresContext,
  tenant: string,
  changes: readonly (readonly [string, number])[],
): Promise<void> {
  const sums = new Map<string, number>();
  for (const [state, by] of changes) sums.set(state, (sums.get(state) ?? 0) + by);
  await db.run(
    `INSERT INTO ledger_count (tenant, writer, state, count) SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[])
     ON CONFLICT (tenant, state, writer) DO UPDATE SET count = ledger_count.count + excluded.count`,
    tenant,
    writer,
    [...sums.keys()],
    [...sums.values()],
  );
}

/** Every change of state: the row, its step, the ledger and the audit record, in the one commit of the command. */
export async function move(context: PostgresContext, moves: readonly Move[]): Promise<void> {
  for (const m of moves) {
    checkMove(m);
    const { changes } = await context.db.run(
      'UPDATE delivery SET state = $1, reason = $2, state_at = $3 WHERE seq = $4 AND state = $5',
      m.to,
      m.reason,
      m.at.getTime(),
      m.seq,
      m.from,
    );
    if (changes !== 1) throw new Error('the delivery is not in the state that it was read in');
    await context.db.run(
      `INSERT INTO delivery_step (seq, n, at, from_state, to_state, reason, fault_code, actor)
       SELECT $1::bigint, coalesce(max(n), 0) + 1, $2::bigint, $3::text, $4::text, $5::text, $7::text, $6::text FROM delivery_step WHERE seq = $1::bigint`,
      m.seq,
      m.at.getTime(),
      m.from,
      m.to,
      m.reason,
      m.actor,
      m.faultCode ?? null,
    );
  }
  const [first] = moves;
  if (first === undefined) return;
  await count(
    context,
    first.tenant,
    moves.flatMap((m) => [[m.from, -1] as const, [m.to, 1] as const]),
  );
  await appendPostgres(context, moves.map(auditOfMove));
}
