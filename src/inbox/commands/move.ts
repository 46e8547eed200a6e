import { append } from '../../audit/index.ts';
import { add, countersOf, run, typed, type CommandContext, type Program } from '../../store/index.ts';
import { auditOfMove, checkMove, type Move } from '../move.ts';

const LEDGER_COUNT = countersOf('ledger_count', { tenant: 'text', state: 'text', writer: 'text' });

/** No other writer touches the counters of this one. */
export function* count(
  { writer }: CommandContext,
  tenant: string,
  changes: readonly (readonly [string, number])[],
): Program<void> {
  yield* add(
    LEDGER_COUNT,
    changes.map(([state, by]) => ({ tenant, writer, state, count: by })),
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
