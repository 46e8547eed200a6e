import {
  changeLinkPostgres,
  confirmedLinkPostgres,
  holdUserPostgres,
  openUser,
  revokeLinkPostgres,
  type LinkHead,
} from '../identity/index.ts';
import { settlePostgres, type Settle } from '../inbox/index.ts';
import { isErasedPostgres, userIndex, type PostgresContext, type PostgresOperations } from '../store/index.ts';
import { makeLaneChanges, NOTHING } from './adjust.ts';
import { adjustPostgres } from './adjust-postgres.ts';
import { CHARTED_POSTGRES, toCharting, WAITING_POSTGRES } from './charting.ts';
import { TARGET, type DeliverReads, type DeliverWrites } from './commands.ts';
import { cancelPostgres, changeLanesPostgres, enqueuePostgres } from './jobs-postgres.ts';
import { sealWord, toUnmapped, UNMAPPED_COLUMNS, wordIndex } from './unmapped.ts';

/*
 * The order of locks, the same in every command: the row of the user, then the document, then deliveries in the order of arrival,
 * then lanes. Commands that share a batch may still meet those of another in a circle; run-batch.ts then runs them one by one.
 */

/** The link along which a sound document goes on. While earlier deliveries of its user are still on their way, it waits behind them. */
async function linkOf(
  context: PostgresContext,
  { tenant, at, verdict, facts: { client, user } }: Settle,
): Promise<LinkHead | null> {
  if (verdict.kind !== 'sound' || client === null || user === null) return null;
  if (await isErasedPostgres(context, tenant, userIndex(context.vault, client, user))) return null;
  const held = await holdUserPostgres(context, tenant, { client, user }, at);
  return held.isUnsettled ? null : confirmedLinkPostgres(context, tenant, held.index);
}

/** One row a word, counted up each time that it is met. In the order of their indexes, so that two batches do not wait in a circle. */
async function countUnmapped({ db, vault }: PostgresContext, { tenant, at, facts }: Settle): Promise<void> {
  const structure = facts.dataStructure ?? '';
  const words = facts.unmapped
    .map((word) => ({ word, index: wordIndex(vault, word, structure) }))
    .sort((a, b) => Buffer.compare(a.index, b.index));
  for (const { word, index } of words)
    await db.run(
      `INSERT INTO unmapped (tenant, word_index, kind, word_sealed, data_structure, count, first_at, last_at) VALUES ($1, $2, $3, $4, $5, 1, $6::bigint, $6::bigint)
       ON CONFLICT (tenant, word_index) DO UPDATE SET count = unmapped.count + 1, last_at = excluded.last_at`,
      tenant,
      index,
      word.kind,
      sealWord(vault, index, word),
      structure,
      at.getTime(),
    );
}

async function settle(context: PostgresContext, s: Settle): Promise<DeliverWrites['deliver.settle']['out']> {
  const link = await linkOf(context, s);
  const settled = await settlePostgres(context, s, link === null ? 'unlinked' : 'queued');
  if (settled === null) return null;
  await countUnmapped(context, s);
  const lanes = makeLaneChanges();
  await cancelPostgres(context, lanes, settled.unqueued);
  if (settled.state === 'queued' && link !== null)
    await enqueuePostgres(context, lanes, s.tenant, 'deliver', link.mrnIndex, [s.seq]);
  await changeLanesPostgres(context, s.tenant, lanes);
  // What the lane was waiting for is gone: its wait is not that of the newer version.
  if (settled.unqueued.length > 0 && link !== null)
    await context.db.run(
      'UPDATE lane SET next_at = least(next_at, now()) WHERE tenant = $1 AND target = $2 AND patient_index = $3',
      s.tenant,
      TARGET,
      link.mrnIndex,
    );
  return { state: settled.state, reason: settled.reason };
}

export const writes: PostgresOperations<DeliverWrites> = {
  'deliver.settle': settle,
  'deliver.link': async (context, { wanted, limit, ...act }) => {
    const user = await holdUserPostgres(context, act.tenant, wanted, act.at);
    const { change, link } = await changeLinkPostgres(context, act, user, wanted);
    const isMoved = change === 'confirmed' || change === 'changed';
    const adjusted = isMoved ? await adjustPostgres(context, act, user, limit) : { ...NOTHING, isSettled: !user.isUnsettled };
    return { change, id: link.id, status: link.status, ...adjusted };
  },
  'deliver.revoke': async (context, { user: who, why, charted = 'keep', limit, ...act }) => {
    const user = await holdUserPostgres(context, act.tenant, who, act.at);
    if (user.isUnsettled) return 'unsettled';
    const revoked = await revokeLinkPostgres(context, act, user, why, charted);
    if (revoked === null) return 'not-found';
    const { change, link } = revoked;
    return { change, id: link.id, status: link.status, ...(await adjustPostgres(context, act, user, limit)) };
  },
  'deliver.adjust': async (context, { user: who, limit, ...act }) =>
    adjustPostgres(context, act, await holdUserPostgres(context, act.tenant, who, act.at), limit),
};

export const reads: PostgresOperations<DeliverReads> = {
  'deliver.unmapped': async ({ db, vault }, { tenant, before, limit }) => {
    const rows = await db.all(
      `SELECT ${UNMAPPED_COLUMNS} FROM unmapped WHERE tenant = $1 AND ($2::bigint IS NULL OR seq < $2::bigint) ORDER BY seq DESC LIMIT $3`,
      tenant,
      before,
      limit,
    );
    return rows.map((row) => toUnmapped(row, vault));
  },
  'deliver.charting': async (context, { tenant, user: { client, user } }) => {
    const { db, vault } = context;
    const index = userIndex(vault, client, user);
    const link = await confirmedLinkPostgres(context, tenant, index);
    const waiting = await db.get(WAITING_POSTGRES, tenant, index);
    return toCharting(link, link === null ? [] : await db.all(CHARTED_POSTGRES, tenant, TARGET, link.mrnIndex, index), waiting);
  },
  'deliver.unsettled': async ({ db, vault }, { tenant, limit }) => {
    const rows = await db.all(
      'SELECT user_index, user_sealed FROM source_user WHERE tenant = $1 AND unsettled_at IS NOT NULL ORDER BY unsettled_at LIMIT $2',
      tenant,
      limit,
    );
    return rows.map((row) => openUser(vault, row));
  },
};
