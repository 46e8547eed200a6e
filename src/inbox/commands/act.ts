import { actorOf, append } from '../../audit/index.ts';
import {
  all,
  among,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  part,
  run,
  typed,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { Act, ActOutcome, InboxWrites, SeenDelivery } from '../commands.ts';
import type { Move } from '../move.ts';
import type { Row } from '../rows.ts';
import { DISCARDABLE, LEFT_OUT, REPLAYABLE, TERMINAL, type State } from '../state.ts';
import { move } from './move.ts';

/** What is asked of a delivery before it is moved. */
const ASKED = words(`seq, id, state, state_at, document_index,
  CASE WHEN EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) THEN 1 ELSE 0 END AS has_body`);

/** What an operator does to deliveries: where they may be for it, and where they are afterwards. */
interface Deed {
  readonly allowed: readonly State[];
  readonly to: State;
  readonly reason: string;
}
/** Judged again from the stored bytes. */
const REPLAY: Deed = { allowed: REPLAYABLE, to: 'received', reason: 'replay' };
const replayFor = (decision: string | undefined): Deed =>
  decision === undefined ? REPLAY : { ...REPLAY, reason: decision };
/** Given up by a person, who says why. */
const discardFor = (why: string): Deed => ({ allowed: DISCARDABLE, to: 'discarded', reason: why });

const isAble = ({ allowed, to }: Deed, row: Row): boolean =>
  allowed.includes(row['state'] as State) && (to !== 'received' || Number(row['has_body']) === 1);

/** Moves those that are in a state for it, and gives how many. */
function* carryOut(
  context: CommandContext,
  deed: Deed,
  rows: readonly Row[],
  { tenant, at, requestId, ...who }: Omit<Act, 'id'>,
): Program<number> {
  const able = rows.filter((row) => isAble(deed, row));
  const moves = able.map((row): Move => ({
    tenant,
    seq: Number(row['seq']),
    id: String(row['id']),
    from: row['state'] as State,
    to: deed.to,
    reason: deed.reason,
    ...actorOf(who),
    at,
    requestId,
  }));
  // What was given up no longer says what its version holds: another delivery of that version may.
  if (deed.to === 'discarded')
    for (const row of able)
      yield* run`
        UPDATE document SET clinical_digest = NULL
        WHERE tenant = ${tenant} AND document_index = ${row['document_index'] as Uint8Array | null}
          AND seq = ${Number(row['seq'])}`;
  yield* move(context, moves);
  return moves.length;
}

function* actOnOne(context: CommandContext, deed: Deed, { id, ...who }: Act): Program<ActOutcome> {
  const row = yield* get`SELECT ${ASKED} FROM delivery d WHERE tenant = ${who.tenant} AND id = ${id} ${FOR_UPDATE}`;
  if (row === undefined) return 'not-found';
  return (yield* carryOut(context, deed, [row], who)) === 1 ? 'done' : 'not-in-a-state-for-it';
}

export const replay = (
  context: CommandContext,
  { decision, ...args }: InboxWrites['inbox.replay']['args'],
): Program<ActOutcome> => actOnOne(context, replayFor(decision), args);
export const discard = (
  context: CommandContext,
  { why, ...args }: Act & { readonly why: string },
): Program<ActOutcome> => actOnOne(context, discardFor(why), args);

/**
 * The same to several, of which only those are moved that are as they were seen. `left`: somebody else holds them just
 * now, so that nobody can tell.
 */
export function* actOnSeen(
  context: CommandContext,
  seen: readonly SeenDelivery[],
  { why, ...who }: Omit<Act, 'id'> & { readonly why: 'replay' | { readonly discard: string } },
): Program<{ readonly moved: number; readonly left: readonly SeenDelivery[] }> {
  const rows = yield* all`
    SELECT ${ASKED} FROM delivery d
    WHERE tenant = ${who.tenant} AND seq ${among(
      'bigint',
      seen.map(([seq]) => seq),
    )} ORDER BY seq ${FOR_UPDATE_OF_FREE}`;
  const stateAt = new Map(seen);
  const same = rows.filter((row) => stateAt.get(Number(row['seq'])) === Number(row['state_at']));
  const moved = yield* carryOut(context, why === 'replay' ? REPLAY : discardFor(why.discard), same, who);
  const free = new Set(rows.map((row) => Number(row['seq'])));
  return { moved, left: seen.filter(([seq]) => !free.has(seq)) };
}

type ReplayMany = InboxWrites['inbox.replay-many'];

export function* replayMany(
  context: CommandContext,
  { tenant, state, reason, after, limit, ...who }: ReplayMany['args'],
): Program<ReplayMany['out']> {
  const rows = yield* all`
    SELECT ${ASKED} FROM delivery d
    WHERE tenant = ${tenant} AND state = ${state} AND seq > ${after}
    AND (${typed('text', reason)} IS NULL OR reason = ${reason})
    ORDER BY seq LIMIT ${limit} ${FOR_UPDATE_OF_FREE}`;
  yield* carryOut(context, REPLAY, rows, { tenant, ...who });
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
