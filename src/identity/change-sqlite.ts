import { appendSqlite } from '../audit/index.ts';
import { liftErasureSqlite, type SqliteContext } from '../store/index.ts';
import type { ChangedLink, Charted, HeldUser, LinkAct, LinkHead, LinkStatus, SourceUser, WantedLink } from './commands.ts';
import { decideChange, decideRevocation } from './decide-change.ts';
import { auditOfLink, indexOf, mrnIndexOf, sealEvidence, sealLink, sealUser, toHead, toLive } from './rows.ts';

/** On SQLite there is one writer, so the row is only made sure of. */
export function holdUserSqlite({ db, vault }: SqliteContext, tenant: string, user: SourceUser, at: Date): HeldUser {
  const index = indexOf(vault, user);
  const row = db.get('SELECT unsettled_at FROM source_user WHERE tenant = ? AND user_index = ?', tenant, index);
  if (row === undefined)
    db.run(
      'INSERT INTO source_user (tenant, user_index, user_sealed, seen_at) VALUES (?, ?, ?, ?)',
      tenant,
      index,
      sealUser(vault, user),
      at.getTime(),
    );
  return { index, isUnsettled: row !== undefined && row['unsettled_at'] !== null };
}

/** Says that the deliveries of a user may not be where its link says, or (null) that they are. */
export function markUserSqlite({ db }: SqliteContext, tenant: string, index: Uint8Array, unsettledAt: Date | null): void {
  db.run(
    'UPDATE source_user SET unsettled_at = ? WHERE tenant = ? AND user_index = ?',
    unsettledAt?.getTime() ?? null,
    tenant,
    index,
  );
}

const heads = ({ db }: SqliteContext, tenant: string, index: Uint8Array): LinkHead[] =>
  db
    .all(
      `SELECT seq, id, status, mrn_index FROM link WHERE tenant = ? AND user_index = ? AND status <> 'revoked' ORDER BY seq`,
      tenant,
      index,
    )
    .map(toHead);

export const confirmedLinkSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): LinkHead | null =>
  heads(context, tenant, index).find(({ status }) => status === 'confirmed') ?? null;

/** The patients whose charts a user's data must leave: those of the links that its confirmed link took the place of. */
export const replacedPatientsSqlite = ({ db }: SqliteContext, link: LinkHead): Uint8Array[] =>
  db
    .all(
      `WITH RECURSIVE before (seq, mrn_index, replaces) AS (
         SELECT seq, mrn_index, replaces FROM link WHERE seq = ?1
         UNION SELECT l.seq, l.mrn_index, l.replaces FROM link l JOIN before b ON l.seq = b.replaces)
       SELECT DISTINCT mrn_index FROM before WHERE mrn_index <> ?2`,
      link.seq,
      link.mrnIndex,
    )
    .map((row) => row['mrn_index'] as Uint8Array);

function setStatus(context: SqliteContext, act: LinkAct, seq: number, to: LinkStatus, why?: string): LinkHead {
  const { db, vault } = context;
  const row = db.get('SELECT seq, id, status, mrn_index, user_sealed, mrn_sealed FROM link WHERE seq = ?', seq);
  if (row === undefined) throw new Error('the link is gone');
  db.run('UPDATE link SET status = ?, actor = ?, changed_at = ? WHERE seq = ?', to, act.actor, act.at.getTime(), seq);
  appendSqlite(context, auditOfLink(vault, act, row, row['status'] as LinkStatus, to, why));
  return { ...toHead(row), status: to };
}

/** Proposes, confirms or changes the link of a user whose row is held. */
export function changeLinkSqlite(context: SqliteContext, act: LinkAct, user: HeldUser, wanted: WantedLink): ChangedLink {
  const { db, vault } = context;
  const mrnIndex = mrnIndexOf(vault, wanted);
  liftErasureSqlite(context, act.tenant, user.index);
  const known = heads(context, act.tenant, user.index);
  const { change, take, revoke, replaces } = decideChange(toLive(known, mrnIndex), wanted.status);
  for (const seq of revoke) setStatus(context, act, seq, 'revoked', 'replaced');
  const taken = known.find(({ seq }) => seq === take);
  if (taken !== undefined) {
    if (change === 'unchanged') return { change, link: taken };
    db.run('UPDATE link SET replaces = ? WHERE seq = ?', replaces, taken.seq);
    if (wanted.evidence !== null)
      db.run('UPDATE link SET evidence_sealed = ? WHERE seq = ?', sealEvidence(vault, taken.id, wanted.evidence), taken.seq);
    return { change, link: setStatus(context, act, taken.seq, wanted.status) };
  }
  const sealed = sealLink(vault, wanted);
  const atMs = act.at.getTime();
  const { lastId: seq } = db.run(
    `INSERT INTO link (tenant, id, user_index, user_sealed, mrn_index, mrn_sealed, status, evidence_sealed, actor, made_at, changed_at, replaces)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    act.tenant,
    wanted.id,
    user.index,
    sealed.user,
    mrnIndex,
    sealed.mrn,
    wanted.status,
    sealed.evidence,
    act.actor,
    atMs,
    atMs,
    replaces,
  );
  const row = { id: wanted.id, user_sealed: sealed.user, mrn_sealed: sealed.mrn };
  appendSqlite(context, auditOfLink(vault, act, row, null, wanted.status));
  return { change, link: { seq, id: wanted.id, status: wanted.status, mrnIndex } };
}

/** The patients whose charts a user's data must leave since its link was revoked. */
export function revokedPatientsSqlite({ db }: SqliteContext, tenant: string, index: Uint8Array): Uint8Array[] {
  const rows = db.all(
    'SELECT DISTINCT mrn_index FROM link WHERE tenant = ? AND user_index = ? AND withdraw_at IS NOT NULL',
    tenant,
    index,
  );
  return rows.map((row) => row['mrn_index'] as Uint8Array);
}

/** Ends what is confirmed and what is proposed of a user whose row is held. Null where there is nothing. */
export function revokeLinkSqlite(
  context: SqliteContext,
  act: LinkAct,
  user: HeldUser,
  why: string,
  charted: Charted,
): ChangedLink | null {
  const known = heads(context, act.tenant, user.index);
  const main = decideRevocation(toLive(known, user.index));
  let link: LinkHead | null = null;
  for (const { seq } of known) {
    const revoked = setStatus(context, act, seq, 'revoked', why);
    if (seq === main?.seq) link = revoked;
  }
  // What an earlier revocation wanted is carried out by now, and says nothing of what was charted since.
  context.db.run(
    'UPDATE link SET withdraw_at = NULL WHERE tenant = ? AND user_index = ? AND withdraw_at IS NOT NULL',
    act.tenant,
    user.index,
  );
  if (charted === 'retract' && main?.status === 'confirmed')
    context.db.run('UPDATE link SET withdraw_at = ? WHERE seq = ?', act.at.getTime(), main.seq);
  return link === null ? null : { change: 'revoked', link };
}

/** Nothing is left of a user whose row is held, and who has no link any more. */
export function forgetUserSqlite({ db }: SqliteContext, tenant: string, index: Uint8Array): void {
  db.run('DELETE FROM link WHERE tenant = ? AND user_index = ?', tenant, index);
  db.run('DELETE FROM source_user WHERE tenant = ? AND user_index = ?', tenant, index);
}
