import { appendPostgres } from '../audit/index.ts';
import { liftErasurePostgres, type PostgresContext } from '../store/index.ts';
import type { ChangedLink, Charted, HeldUser, LinkAct, LinkHead, LinkStatus, SourceUser, WantedLink } from './commands.ts';
import { decideChange, decideRevocation } from './decide-change.ts';
import { auditOfLink, indexOf, mrnIndexOf, sealEvidence, sealLink, sealUser, toHead, toLive } from './rows.ts';

/**
 * Locks the row of a user until the end of the transaction. Whoever asks where a delivery of this user goes, or changes its link,
 * holds it first of all locks: so no delivery is parked just after its release.
 */
export async function holdUserPostgres(
  { db, vault }: PostgresContext,
  tenant: string,
  user: SourceUser,
  at: Date,
): Promise<HeldUser> {
  const index = indexOf(vault, user);
  const row =
    (await db.get('SELECT unsettled_at FROM source_user WHERE tenant = $1 AND user_index = $2 FOR UPDATE', tenant, index)) ??
    (await db.get(
      `INSERT INTO source_user (tenant, user_index, user_sealed, seen_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant, user_index) DO UPDATE SET seen_at = source_user.seen_at RETURNING unsettled_at`,
      tenant,
      index,
      sealUser(vault, user),
      at.getTime(),
    ));
  return { index, isUnsettled: row !== undefined && row['unsettled_at'] !== null };
}

/** Says that the deliveries of a user may not be where its link says, or (null) that they are. */
export async function markUserPostgres(
  { db }: PostgresContext,
  tenant: string,
  index: Uint8Array,
  unsettledAt: Date | null,
): Promise<void> {
  await db.run(
    'UPDATE source_user SET unsettled_at = $1 WHERE tenant = $2 AND user_index = $3',
    unsettledAt?.getTime() ?? null,
    tenant,
    index,
  );
}

async function heads({ db }: PostgresContext, tenant: string, index: Uint8Array): Promise<LinkHead[]> {
  const rows = await db.all(
    `SELECT seq, id, status, mrn_index FROM link WHERE tenant = $1 AND user_index = $2 AND status <> 'revoked' ORDER BY seq`,
    tenant,
    index,
  );
  return rows.map(toHead);
}

export async function confirmedLinkPostgres(
  context: PostgresContext,
  tenant: string,
  index: Uint8Array,
): Promise<LinkHead | null> {
  return (await heads(context, tenant, index)).find(({ status }) => status === 'confirmed') ?? null;
}

/** The patients whose charts a user's data must leave: those of the links that its confirmed link took the place of. */
export async function replacedPatientsPostgres({ db }: PostgresContext, link: LinkHead): Promise<Uint8Array[]> {
  const rows = await db.all(
    `WITH RECURSIVE before (seq, mrn_index, replaces) AS (
       SELECT seq, mrn_index, replaces FROM link WHERE seq = $1
       UNION SELECT l.seq, l.mrn_index, l.replaces FROM link l JOIN before b ON l.seq = b.replaces)
     SELECT DISTINCT mrn_index FROM before WHERE mrn_index <> $2`,
    link.seq,
    link.mrnIndex,
  );
  return rows.map((row) => row['mrn_index'] as Uint8Array);
}

async function setStatus(context: PostgresContext, act: LinkAct, seq: number, to: LinkStatus, why?: string): Promise<LinkHead> {
  const { db, vault } = context;
  const row = await db.get('SELECT seq, id, status, mrn_index, user_sealed, mrn_sealed FROM link WHERE seq = $1', seq);
  if (row === undefined) throw new Error('the link is gone');
  await db.run('UPDATE link SET status = $1, actor = $2, changed_at = $3 WHERE seq = $4', to, act.actor, act.at.getTime(), seq);
  await appendPostgres(context, [auditOfLink(vault, act, row, row['status'] as LinkStatus, to, why)]);
  return { ...toHead(row), status: to };
}

/** Proposes, confirms or changes the link of a user whose row is held. */
export async function changeLinkPostgres(
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  wanted: WantedLink,
): Promise<ChangedLink> {
  const { db, vault } = context;
  const mrnIndex = mrnIndexOf(vault, wanted);
  await liftErasurePostgres(context, act.tenant, user.index);
  const known = await heads(context, act.tenant, user.index);
  const { change, take, revoke, replaces } = decideChange(toLive(known, mrnIndex), wanted.status);
  for (const seq of revoke) await setStatus(context, act, seq, 'revoked', 'replaced');
  const taken = known.find(({ seq }) => seq === take);
  if (taken !== undefined) {
    if (change === 'unchanged') return { change, link: taken };
    await db.run('UPDATE link SET replaces = $1 WHERE seq = $2', replaces, taken.seq);
    if (wanted.evidence !== null)
      await db.run(
        'UPDATE link SET evidence_sealed = $1 WHERE seq = $2',
        sealEvidence(vault, taken.id, wanted.evidence),
        taken.seq,
      );
    return { change, link: await setStatus(context, act, taken.seq, wanted.status) };
  }
  const sealed = sealLink(vault, wanted);
  const atMs = act.at.getTime();
  const made = await db.get(
    `INSERT INTO link (tenant, id, user_index, user_sealed, mrn_index, mrn_sealed, status, evidence_sealed, actor, made_at, changed_at, replaces)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING seq`,
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
  await appendPostgres(context, [auditOfLink(vault, act, row, null, wanted.status)]);
  return { change, link: { seq: Number(made?.['seq']), id: wanted.id, status: wanted.status, mrnIndex } };
}

/** The patients whose charts a user's data must leave since its link was revoked. */
export async function revokedPatientsPostgres({ db }: PostgresContext, tenant: string, index: Uint8Array): Promise<Uint8Array[]> {
  const rows = await db.all(
    'SELECT DISTINCT mrn_index FROM link WHERE tenant = $1 AND user_index = $2 AND withdraw_at IS NOT NULL',
    tenant,
    index,
  );
  return rows.map((row) => row['mrn_index'] as Uint8Array);
}

/** Ends what is confirmed and what is proposed of a user whose row is held. Null where there is nothing. */
export async function revokeLinkPostgres(
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  why: string,
  charted: Charted,
): Promise<ChangedLink | null> {
  const known = await heads(context, act.tenant, user.index);
  const main = decideRevocation(toLive(known, user.index));
  let link: LinkHead | null = null;
  for (const { seq } of known) {
    const revoked = await setStatus(context, act, seq, 'revoked', why);
    if (seq === main?.seq) link = revoked;
  }
  // What an earlier revocation wanted is carried out by now, and says nothing of what was charted since.
  await context.db.run(
    'UPDATE link SET withdraw_at = NULL WHERE tenant = $1 AND user_index = $2 AND withdraw_at IS NOT NULL',
    act.tenant,
    user.index,
  );
  if (charted === 'retract' && main?.status === 'confirmed')
    await context.db.run('UPDATE link SET withdraw_at = $1 WHERE seq = $2', act.at.getTime(), main.seq);
  return link === null ? null : { change: 'revoked', link };
}

/** Nothing is left of a user whose row is held, and who has no link any more. */
export async function forgetUserPostgres({ db }: PostgresContext, tenant: string, index: Uint8Array): Promise<void> {
  await db.run('DELETE FROM link WHERE tenant = $1 AND user_index = $2', tenant, index);
  await db.run('DELETE FROM source_user WHERE tenant = $1 AND user_index = $2', tenant, index);
}
