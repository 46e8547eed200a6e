import { linkToFollow } from '../../../identity/index.ts';
import { endSettling, settle as settleInbox, type Move, type Settle, type Settling } from '../../../inbox/index.ts';
import {
  EARLIER,
  insert,
  now,
  rowsOf,
  run,
  userIndex,
  type CommandContext,
  type Program,
} from '../../../store/index.ts';
import { fastClaim } from '../../commands/fast-claim.ts';
import type { FastClaimed } from '../../commands.ts';
import { deliveryOf, moveOf } from '../../rows.ts';
import { makeLaneChanges } from '../adjust.ts';
import { TARGET, type DeliverWrites } from '../commands.ts';
import { sealWord, wordIndex } from '../unmapped.ts';
import { cancel, changeLanes, putJob } from './jobs.ts';

/** Words that are cut may be the same. */
const WORD = rowsOf('delivery_word', { seq: 'bigint', tenant: 'text', word_index: 'bytea' }, 'ON CONFLICT DO NOTHING');

/**
 * One row a word, counted up each time that it is met. In the order of their indexes, so that two batches do not wait
 * in a circle. A delivery that is parked for them is found by each.
 */
function* countUnmapped(
  { vault }: CommandContext,
  { tenant, seq, at, facts }: Settle,
  { to, reason }: Pick<Move, 'to' | 'reason'>,
): Program<void> {
  const structure = facts.dataStructure ?? '';
  const words = facts.unmapped
    .map((word) => ({ word, index: wordIndex(vault, word, structure) }))
    .sort((a, b) => Buffer.compare(a.index, b.index));
  for (const { word, index } of words)
    yield* run`
      INSERT INTO unmapped (tenant, word_index, kind, word_sealed, data_structure, count, first_at, last_at)
      VALUES (${tenant}, ${index}, ${word.kind}, ${sealWord(vault, index, word)}, ${structure}, 1, ${at.getTime()},
        ${at.getTime()})
      ON CONFLICT (tenant, word_index) DO UPDATE SET count = unmapped.count + 1, last_at = excluded.last_at`;
  if (to === 'parked' && reason === 'unmapped')
    yield* insert(
      WORD,
      words.map(({ index }) => ({ seq, tenant, word_index: index })),
    );
}

/** Into the lane of its patient, and out of it at once where that can be. */
function* enter(
  context: CommandContext,
  s: SettleInLane['args'],
  { row, freshDocument: document }: Settling,
  patient: Uint8Array,
): Program<FastClaimed | null> {
  const { client, user } = s.facts;
  const claimed =
    s.claim === undefined || document === null || client === null || user === null
      ? null
      : yield* fastClaim(context, s, s.claim, {
          delivery: deliveryOf({ ...row, delivery_seq: s.seq }),
          user: userIndex(context.vault, client, user),
          patient,
          document,
        });
  if (claimed === null) yield* putJob(s.tenant, patient, s.seq, null);
  return claimed;
}

type SettleInLane = DeliverWrites['deliver.settle'];

/**
 * Gives a delivery its state and its place in its patient's lane. Null where somebody else has settled it meanwhile.
 */
export function* settle(context: CommandContext, s: SettleInLane['args']): Program<SettleInLane['out']> {
  const { tenant, at, verdict } = s;
  const { client, user } = s.facts;
  const isOnward = verdict.kind === 'sound' && client !== null && user !== null;
  const link = isOnward ? yield* linkToFollow(context, tenant, { client, user }, at) : null;
  const settling = yield* settleInbox(context, s, link === null ? 'unlinked' : 'queued');
  if (settling === null) return null;
  const { to: state, reason } = settling.move;
  yield* countUnmapped(context, s, settling.move);
  const lanes = makeLaneChanges();
  yield* cancel(lanes, settling.unqueued);
  const patient = state === 'queued' && link !== null ? link.mrnIndex : null;
  if (patient !== null) lanes.add(patient, 1);
  yield* changeLanes(tenant, lanes);
  // What the lane was waiting for is gone: its wait is not that of the newer version.
  if (settling.unqueued.length > 0 && link !== null)
    yield* run`
      UPDATE lane SET next_at = ${EARLIER}(next_at, ${now(at)})
      WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${link.mrnIndex}`;
  const claimed = patient === null ? null : yield* enter(context, s, settling, patient);
  const isBegun = claimed !== null && claimed.attemptId !== null;
  yield* endSettling(
    context,
    settling,
    isBegun ? [{ ...moveOf(claimed.claimed.delivery, tenant, at), from: 'queued', to: 'sending', reason: null }] : [],
  );
  return claimed === null ? { state, reason } : { state, reason, fastClaim: claimed };
}
