import { append } from '../../audit/index.ts';
import {
  all,
  among,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  part,
  run,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { Act, ActOutcome, InboxWrites } from '../commands.ts';
import { DISCARDABLE, LEFT_OUT, REPLAYABLE, TERMINAL, type State } from '../state.ts';
import { move } from './move.ts';

/** What an operator may do to a delivery: where it may be for it, and where it is afterwards. */
function* act(
  context: CommandContext,
  a: Act,
  allowed: readonly State[],
  to: State,
  reason: string | null,
): Program<ActOutcome> {
  const row = yield* get`
    SELECT seq, state, EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) AS has_body
    FROM delivery d WHERE tenant = ${a.tenant} AND id = ${a.id} ${FOR_UPDATE}`;
  if (row === undefined) return 'not-found';
  const seq = Number(row['seq']);
  const from = row['state'] as State;
  if (!allowed.includes(from) || (to === 'received' && Number(row['has_body']) === 0)) return 'not-in-a-state-for-it';
  // What was given up no longer says what its version holds: another delivery of that version may.
  if (to === 'discarded')
    yield* run`UPDATE document SET clinical_digest = NULL WHERE tenant = ${a.tenant} AND seq = ${seq}`;
  const { tenant, id, actor, at, requestId } = a;
  yield* move(context, [{ tenant, seq, id, from, to, reason, actor, at, requestId }]);
  return 'done';
}

/** Judged again from the stored bytes. */
export const replay = (context: CommandContext, args: Act): Program<ActOutcome> =>
  act(context, args, REPLAYABLE, 'received', 'replay');

/** Given up by a person, who says why. */
export const discard = (
  context: CommandContext,
  { why, ...args }: Act & { readonly why: string },
): Program<ActOutcome> => act(context, args, DISCARDABLE, 'discarded', why);

type ReplayMany = InboxWrites['inbox.replay-many'];

export function* replayMany(
  context: CommandContext,
  { tenant, state, reason, after, limit, ...who }: ReplayMany['args'],
): Program<ReplayMany['out']> {
  const rows = yield* all`
    SELECT seq, id FROM delivery
    WHERE tenant = ${tenant} AND state = ${state} AND seq > ${after}
    AND (${typed('text', reason)} IS NULL OR reason = ${reason})
    ORDER BY seq LIMIT ${limit} ${FOR_UPDATE_OF_FREE}`;
  for (const row of rows) yield* replay(context, { tenant, id: String(row['id']), ...who });
  return { count: rows.length, last: Number(rows.at(-1)?.['seq'] ?? after) };
}

const OF_FREE_DELIVERIES = part('', 'FOR UPDATE OF d SKIP LOCKED');

type Shred = InboxWrites['inbox.shred'];

export function* shred(context: CommandContext, { tenant, before, at, limit }: Shred['args']): Program<Shred['out']> {
  const count = yield* run`
    DELETE FROM delivery_body WHERE seq IN (
      SELECT d.seq FROM delivery d JOIN delivery_body b USING (seq)
      WHERE d.tenant = ${tenant} AND d.received_at < ${before.getTime()} AND d.reason IS DISTINCT
      FROM ${typed('text', LEFT_OUT)}
        AND d.state ${among('text', TERMINAL)}
      ORDER BY d.seq LIMIT ${limit} ${OF_FREE_DELIVERIES})`;
  const actor = 'retention';
  if (count > 0)
    yield* append(context, [{ at, type: 'admin', tenant, requestId: actor, action: 'D', outcome: '0', actor, count }]);
  return { count };
}
