import {
  changeLinkSqlite,
  confirmedLinkSqlite,
  holdUserSqlite,
  openUser,
  revokeLinkSqlite,
  type LinkHead,
} from '../identity/index.ts';
import { settleSqlite, type Settle } from '../inbox/index.ts';
import { isErasedSqlite, userIndex, type SqliteContext, type SqliteOperations } from '../store/index.ts';
import { makeLaneChanges, NOTHING } from './adjust.ts';
import { adjustSqlite } from './adjust-sqlite.ts';
import { CHARTED_SQLITE, toCharting, WAITING_SQLITE } from './charting.ts';
import { TARGET, type DeliverReads, type DeliverWrites } from './commands.ts';
import { cancelSqlite, changeLanesSqlite, enqueueSqlite } from './jobs-sqlite.ts';
import { claimAtOnce } from './lane/claim-at-once-sqlite.ts';
import { sealWord, toUnmapped, UNMAPPED_COLUMNS, wordIndex } from './unmapped.ts';

/** The link along which a sound document goes on. While earlier deliveries of its user are still on their way, it waits behind them. */
function linkOf(context: SqliteContext, { tenant, at, verdict, facts: { client, user } }: Settle): LinkHead | null {
  if (verdict.kind !== 'sound' || client === null || user === null) return null;
  if (isErasedSqlite(context, tenant, userIndex(context.vault, client, user))) return null;
  const held = holdUserSqlite(context, tenant, { client, user }, at);
  return held.isUnsettled ? null : confirmedLinkSqlite(context, tenant, held.index);
}

/** One row a word, counted up each time that it is met. */
function countUnmapped({ db, vault }: SqliteContext, { tenant, at, facts }: Settle): void {
  const structure = facts.dataStructure ?? '';
  for (const word of facts.unmapped) {
    const index = wordIndex(vault, word, structure);
    db.run(
      `INSERT INTO unmapped (tenant, word_index, kind, word_sealed, data_structure, count, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6)
       ON CONFLICT (tenant, word_index) DO UPDATE SET count = count + 1, last_at = excluded.last_at`,
      tenant,
      index,
      word.kind,
      sealWord(vault, index, word),
      structure,
      at.getTime(),
    );
  }
}

function settle(context: SqliteContext, s: DeliverWrites['deliver.settle']['args']): DeliverWrites['deliver.settle']['out'] {
  const link = linkOf(context, s);
  const settled = settleSqlite(context, s, link === null ? 'unlinked' : 'queued');
  if (settled === null) return null;
  countUnmapped(context, s);
  const lanes = makeLaneChanges();
  cancelSqlite(context, lanes, settled.unqueued);
  if (settled.state === 'queued' && link !== null) enqueueSqlite(context, lanes, s.tenant, 'deliver', link.mrnIndex, [s.seq]);
  changeLanesSqlite(context, s.tenant, lanes);
  // What the lane was waiting for is gone: its wait is not that of the newer version.
  if (settled.unqueued.length > 0 && link !== null)
    context.db.run(
      'UPDATE lane SET next_at = min(next_at, ?) WHERE tenant = ? AND target = ? AND patient_index = ?',
      s.at.getTime(),
      s.tenant,
      TARGET,
      link.mrnIndex,
    );
  const { state, reason } = settled;
  const atOnce = state === 'queued' && s.claim !== undefined ? claimAtOnce(context, s, s.claim) : null;
  return { state, reason, ...(atOnce === null ? {} : { atOnce }) };
}

export const writes: SqliteOperations<DeliverWrites> = {
  'deliver.settle': settle,
  'deliver.link': (context, { wanted, limit, ...act }) => {
    const user = holdUserSqlite(context, act.tenant, wanted, act.at);
    const { change, link } = changeLinkSqlite(context, act, user, wanted);
    const isMoved = change === 'confirmed' || change === 'changed';
    const adjusted = isMoved ? adjustSqlite(context, act, user, limit) : { ...NOTHING, isSettled: !user.isUnsettled };
    return { change, id: link.id, status: link.status, ...adjusted };
  },
  'deliver.revoke': (context, { user: who, why, charted = 'keep', limit, ...act }) => {
    const user = holdUserSqlite(context, act.tenant, who, act.at);
    if (user.isUnsettled) return 'unsettled';
    const revoked = revokeLinkSqlite(context, act, user, why, charted);
    if (revoked === null) return 'not-found';
    const { change, link } = revoked;
    return { change, id: link.id, status: link.status, ...adjustSqlite(context, act, user, limit) };
  },
  'deliver.adjust': (context, { user: who, limit, ...act }) =>
    adjustSqlite(context, act, holdUserSqlite(context, act.tenant, who, act.at), limit),
};

export const reads: SqliteOperations<DeliverReads> = {
  'deliver.unmapped': ({ db, vault }, { tenant, before, limit }) =>
    db
      .all(
        `SELECT ${UNMAPPED_COLUMNS} FROM unmapped WHERE tenant = ?1 AND (?2 IS NULL OR seq < ?2) ORDER BY seq DESC LIMIT ?3`,
        tenant,
        before,
        limit,
      )
      .map((row) => toUnmapped(row, vault)),
  'deliver.charting': (context, { tenant, user: { client, user } }) => {
    const { db, vault } = context;
    const index = userIndex(vault, client, user);
    const link = confirmedLinkSqlite(context, tenant, index);
    const waiting = db.get(WAITING_SQLITE, tenant, index);
    return toCharting(link, link === null ? [] : db.all(CHARTED_SQLITE, tenant, TARGET, link.mrnIndex, index), waiting);
  },
  'deliver.unsettled': ({ db, vault }, { tenant, limit }) =>
    db
      .all(
        'SELECT user_index, user_sealed FROM source_user WHERE tenant = ? AND unsettled_at IS NOT NULL ORDER BY unsettled_at LIMIT ?',
        tenant,
        limit,
      )
      .map((row) => openUser(vault, row)),
};
