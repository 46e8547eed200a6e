import { append, type AuditDraft } from '../../audit/index.ts';
import {
  add,
  commaSeparated,
  countersOf,
  fragment,
  send,
  sendOne,
  typed,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import { auditOfMoves, checkMove, withMoves, type Move } from '../move.ts';

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

/** The changes of each delivery, which follow one another. */
function chainsOf(moves: readonly Move[]): [Move, ...Move[]][] {
  const chains: [Move, ...Move[]][] = [];
  for (const m of moves) {
    checkMove(m);
    const chain = chains.at(-1);
    const before = chain?.at(-1);
    if (chain === undefined || before?.seq !== m.seq) chains.push([m]);
    else if (before.to === m.from) chain.push(m);
    else throw new Error(`${before.to} is not ${m.from}`);
  }
  return chains;
}

/** One step for each change, after those that it has had. */
const stepsOf = (chain: readonly Move[]): Fragment[] =>
  chain.map(
    (m, i) => fragment`
      (${typed('bigint', m.seq)},
        (SELECT coalesce(max(n), 0) FROM delivery_step WHERE seq = ${m.seq}) + ${typed('int', i + 1)},
        ${typed('bigint', m.at.getTime())}, ${typed('text', m.from)}, ${typed('text', m.to)},
        ${typed('text', m.reason)}, ${typed('text', m.faultCode ?? null)}, ${typed('text', m.actor)})`,
  );

const NO_COLUMNS = fragment``;

/**
 * Every change of state: the row, its step, the ledger and the audit record, in the one commit of the command.
 * `columns`: what else changes in the row, each with a comma behind it; `record`: of what brought the changes, which then
 * names them.
 */
export function* move(
  context: CommandContext,
  moves: readonly Move[],
  { columns = NO_COLUMNS, record = null }: { readonly columns?: Fragment; readonly record?: AuditDraft | null } = {},
): Program<void> {
  const chains = chainsOf(moves);
  for (const chain of chains) {
    const [first] = chain;
    const last = chain.at(-1) ?? first;
    yield* sendOne(
      fragment`
        UPDATE delivery SET ${columns} state = ${last.to}, reason = ${last.reason},
          fault_code = ${last.faultCode ?? null}, state_at = ${last.at.getTime()}
        WHERE seq = ${first.seq} AND state = ${first.from}`,
      'the delivery is not in the state that it was read in',
    );
    if (chain.some(({ from }) => from === 'parked')) yield* send`DELETE FROM delivery_word WHERE seq = ${first.seq}`;
    yield* send`
      INSERT INTO delivery_step (seq, n, at, from_state, to_state, reason, fault_code, actor)
      VALUES ${commaSeparated(stepsOf(chain))}`;
  }
  const [first] = moves;
  if (first !== undefined)
    yield* count(
      context,
      first.tenant,
      moves.flatMap((m) => [[m.from, -1] as const, [m.to, 1] as const]),
    );
  yield* append(context, record === null ? chains.flatMap(auditOfMoves) : [withMoves(record, moves)]);
}
