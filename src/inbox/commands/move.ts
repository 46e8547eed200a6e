import { append } from '../../audit/index.ts';
import { insert, rowsOf, run, typed, type CommandContext, type Program } from '../../store/index.ts';
import { auditOfMove, checkMove, type Move } from '../move.ts';

const LEDGER_COUNT = rowsOf(
  'ledger_count',
  { tenant: 'text', writer: 'text', state: 'text', count: 'bigint' },
  'ON CONFLICT (tenant, state, writer) DO UPDATE SET count = ledger_count.count + excluded.count',
);

/** Sums by state first: each counter of this writer is touched once, and no other writer touches it. */
export function* count(
  { writer }: CommandContext,
  tenant: string,
  changes: readonly (readonly [string, number])[],
): Program<void> {
  const sums = new Map<string, number>();
  for (const [state, by] of changes) sums.set(state, (sums.get(state) ?? 0) + by);
  yield* insert(
    LEDGER_COUNT,
    [...sums].map(([state, by]) => ({ tenant, writer, state, count: by })),
  );
}

/** Every change of state: the row, its step, the ledger and the audit record, in the one commit of the command. */
export function* move(context: CommandContext, moves: readonly Move[]): Program<void> {
  for (const m of moves) {
    checkMove(m);
    const atMs = m.at.getTime();
    const changed = yield* run`
      UPDATE delivery SET state = ${m.to}, reason = ${m.reason}, fault_code = ${m.faultCode ?? null}, state_at = ${atMs}
      WHERE seq = ${m.seq} AND state = ${m.from}`;
    if (changed !== 1) throw new Error('the delivery is not in the state that it was read in');
    if (m.from === 'parked') yield* run`DELETE FROM delivery_word WHERE seq = ${m.seq}`;
    yield* run`
      INSERT INTO delivery_step (seq, n, at, from_state, to_state, reason, fault_code, actor)
      SELECT ${typed('bigint', m.seq)}, coalesce(max(n), 0) + 1, ${typed('bigint', atMs)}, ${typed('text', m.from)},
        ${typed('text', m.to)},
        ${typed('text', m.reason)}, ${typed('text', m.faultCode ?? null)}, ${typed('text', m.actor)}
      FROM delivery_step WHERE seq = ${m.seq}`;
  }
  const [first] = moves;
  if (first === undefined) return;
  yield* count(
    context,
    first.tenant,
    moves.flatMap((m) => [[m.from, -1] as const, [m.to, 1] as const]),
  );
  yield* append(context, moves.map(auditOfMove));
}
