import { confirmedLink, lockUser, type LinkHead } from '../../../identity/index.ts';
import { settle as settleInbox, type Settle, type Settled } from '../../../inbox/index.ts';
import {
  EARLIER,
  insert,
  isErased,
  now,
  rowsOf,
  run,
  userIndex,
  type CommandContext,
  type Program,
} from '../../../store/index.ts';
import { fastClaim } from '../../commands/fast-claim.ts';
import { makeLaneChanges } from '../adjust.ts';
import { TARGET, type DeliverWrites } from '../commands.ts';
import { sealWord, wordIndex } from '../unmapped.ts';
import { cancel, changeLanes, enqueue } from './jobs.ts';

/**
 * The link along which a sound document goes on. While earlier deliveries of its user are still on their way, it waits
 * behind them.
 */
function* linkOf(
  context: CommandContext,
  { tenant, at, verdict, facts: { client, user } }: Settle,
): Program<LinkHead | null> {
  if (verdict.kind !== 'sound' || client === null || user === null) return null;
  if (yield* isErased(tenant, userIndex(context.vault, client, user))) return null;
  const held = yield* lockUser(context, tenant, { client, user }, at);
  return held.isUnsettled ? null : yield* confirmedLink(tenant, held.index);
}

/** Words that are cut may be the same. */
const WORD = rowsOf('delivery_word', { seq: 'bigint', tenant: 'text', word_index: 'bytea' }, 'ON CONFLICT DO NOTHING');

/**
 * One row a word, counted up each time that it is met. In the order of their indexes, so that two batches do not wait
 * in a circle. A delivery that is parked for them is found by each.
 */
function* countUnmapped(
  { vault }: CommandContext,
  { tenant, seq, at, facts }: Settle,
  { state, reason }: Settled,
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
  if (state === 'parked' && reason === 'unmapped')
    yield* insert(
      WORD,
      words.map(({ index }) => ({ seq, tenant, word_index: index })),
    );
}

type SettleInLane = DeliverWrites['deliver.settle'];

/**
 * Gives a delivery its state and its place in its patient's lane. Null where somebody else has settled it meanwhile.
 */
export function* settle(context: CommandContext, s: SettleInLane['args']): Program<SettleInLane['out']> {
  const link = yield* linkOf(context, s);
  const settled = yield* settleInbox(context, s, link === null ? 'unlinked' : 'queued');
  if (settled === null) return null;
  yield* countUnmapped(context, s, settled);
  const lanes = makeLaneChanges();
  yield* cancel(lanes, settled.unqueued);
  if (settled.state === 'queued' && link !== null) yield* enqueue(lanes, s.tenant, 'deliver', link.mrnIndex, [s.seq]);
  yield* changeLanes(s.tenant, lanes);
  // What the lane was waiting for is gone: its wait is not that of the newer version.
  if (settled.unqueued.length > 0 && link !== null)
    yield* run`
      UPDATE lane SET next_at = ${EARLIER}(next_at, ${now(s.at)})
      WHERE tenant = ${s.tenant} AND target = ${TARGET} AND patient_index = ${link.mrnIndex}`;
  const { state, reason } = settled;
  const claimed = state === 'queued' && s.claim !== undefined ? yield* fastClaim(context, s, s.claim) : null;
  return claimed === null ? { state, reason } : { state, reason, fastClaim: claimed };
}
