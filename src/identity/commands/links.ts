import { append } from '../../audit/index.ts';
import { packItems, putEvents, type EventItem } from '../../events/index.ts';
import {
  all,
  FOR_UPDATE,
  get,
  insertOne,
  liftErasure,
  lock,
  RETURNING_SEQ,
  run,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type {
  ChangedLink,
  Charted,
  LockedUser,
  LinkAct,
  LinkHead,
  LinkStatus,
  SourceUser,
  WantedLink,
} from '../commands.ts';
import { decideChange, decideRevocation } from '../decide-change.ts';
import {
  auditOfLink,
  indexOf,
  mrnIndexOf,
  openPatient,
  sealEvidence,
  sealLink,
  sealUser,
  toHead,
  toLive,
} from '../rows.ts';

/**
 * Locks the row of a user until the end of the transaction. Whoever asks where a delivery of this user goes, or changes
 * its link, holds it first of all locks: so no delivery is parked just after its release.
 */
export function* lockUser({ vault }: CommandContext, tenant: string, user: SourceUser, at: Date): Program<LockedUser> {
  const index = indexOf(vault, user);
  const row =
    (yield* get`SELECT unsettled_at FROM source_user WHERE tenant = ${tenant}
      AND user_index = ${index} ${FOR_UPDATE}`) ??
    (yield* get`
      INSERT INTO source_user (tenant, user_index, user_sealed, seen_at)
      VALUES (${tenant}, ${index}, ${sealUser(vault, user)}, ${at.getTime()})
      ON CONFLICT (tenant, user_index) DO UPDATE SET seen_at = source_user.seen_at RETURNING unsettled_at`);
  return { index, isUnsettled: row !== undefined && row['unsettled_at'] !== null };
}

/** Says that the deliveries of a user may not be where its link says, or (null) that they are. */
export function* markUser(tenant: string, index: Uint8Array, unsettledAt: Date | null): Program<void> {
  yield* run`
    UPDATE source_user SET unsettled_at = ${unsettledAt?.getTime() ?? null} WHERE tenant = ${tenant}
      AND user_index = ${index}`;
}

/** The links of a user that are not revoked. */
function* liveLinks(tenant: string, index: Uint8Array): Program<LinkHead[]> {
  const rows = yield* all`
    SELECT seq, id, status, mrn_index FROM link
    WHERE tenant = ${tenant} AND user_index = ${index} AND status <> 'revoked' ORDER BY seq`;
  return rows.map(toHead);
}

export function* confirmedLink(tenant: string, index: Uint8Array): Program<LinkHead | null> {
  return (yield* liveLinks(tenant, index)).find(({ status }) => status === 'confirmed') ?? null;
}

/**
 * Along which link what comes from a user goes on, with the user locked. Null where there is none, where the user was
 * erased, and while earlier deliveries of the user are still on their way.
 */
export function* linkToFollow(
  context: CommandContext,
  tenant: string,
  user: SourceUser,
  at: Date,
): Program<LinkHead | null> {
  const index = indexOf(context.vault, user);
  const isLocked = yield* lock`
    SELECT 1 AS held FROM source_user WHERE tenant = ${tenant} AND user_index = ${index} FOR UPDATE`;
  const row = yield* get`
    SELECT k.erased_at, s.seen_at, s.unsettled_at, l.seq, l.id, l.status, l.mrn_index
    FROM (SELECT ${typed('text', tenant)} AS tenant, ${typed('bytea', index)} AS user_index) u
    LEFT JOIN user_key k ON k.tenant = u.tenant AND k.user_index = u.user_index
    LEFT JOIN source_user s ON s.tenant = u.tenant AND s.user_index = u.user_index
    LEFT JOIN link l ON l.tenant = u.tenant AND l.user_index = u.user_index AND l.status = 'confirmed'`;
  if (row === undefined || row['erased_at'] !== null) return null;
  if (isLocked && row['seen_at'] !== null)
    return row['unsettled_at'] !== null || row['seq'] === null ? null : toHead(row);
  const { isUnsettled } = yield* lockUser(context, tenant, user, at);
  return isUnsettled ? null : yield* confirmedLink(tenant, index);
}

/** The patients whose charts a user's data must leave: those of the links that its confirmed link took the place of. */
export function* replacedPatients(link: LinkHead): Program<Uint8Array[]> {
  const rows = yield* all`
    WITH RECURSIVE before (seq, mrn_index, replaces) AS (
      SELECT seq, mrn_index, replaces FROM link WHERE seq = ${link.seq}
      UNION SELECT l.seq, l.mrn_index, l.replaces FROM link l JOIN before b ON l.seq = b.replaces)
    SELECT DISTINCT mrn_index FROM before WHERE mrn_index <> ${link.mrnIndex}`;
  return rows.map((row) => row['mrn_index'] as Uint8Array);
}

/** The patients whose charts a user's data must leave since its link was revoked. */
export function* revokedPatients(tenant: string, index: Uint8Array): Program<Uint8Array[]> {
  // In this order by the index of the user: asked for distinct patients, SQLite would walk the links of all users.
  const rows = yield* all`
    SELECT mrn_index FROM link
    WHERE tenant = ${tenant} AND user_index = ${index} AND withdraw_at IS NOT NULL ORDER BY seq`;
  const patients = rows.map((row) => Buffer.from(row['mrn_index'] as Uint8Array));
  return patients.filter((one, i) => patients.findIndex((other) => other.equals(one)) === i);
}

/**
 * Apps may be told of a patient who has a confirmed link from now on, and of one who has none any more: not of a second
 * link of a patient, nor of the end of one of two.
 */
function* tellOfLink(
  context: CommandContext,
  act: LinkAct,
  row: Readonly<Record<string, unknown>>,
  becomes: Extract<EventItem, { kind: 'patient-connection' }>['act'],
): Program<void> {
  const patient = row['mrn_index'] as Uint8Array;
  const other = yield* get`
    SELECT 1 AS other FROM link
    WHERE tenant = ${act.tenant} AND mrn_index = ${patient} AND status = 'confirmed' AND id <> ${String(row['id'])}
    LIMIT 1`;
  if (other !== undefined) return;
  const items = packItems([{ kind: 'patient-connection', act: becomes, ...openPatient(context.vault, row) }]);
  const user = row['user_index'] as Uint8Array;
  yield* putEvents(context, [{ tenant: act.tenant, at: act.at, user, patient, items }]);
}

function* setStatus(
  context: CommandContext,
  act: LinkAct,
  seq: number,
  to: LinkStatus,
  why?: string,
): Program<LinkHead> {
  const row = yield* get`
    SELECT seq, id, status, user_index, mrn_index, user_sealed, mrn_sealed FROM link WHERE seq = ${seq}`;
  if (row === undefined) throw new Error('the link is gone');
  yield* run`UPDATE link SET status = ${to}, actor = ${act.actor}, changed_at = ${act.at.getTime()} WHERE seq = ${seq}`;
  yield* append(context, [auditOfLink(context.vault, act, row, row['status'] as LinkStatus, to, why)]);
  const was = row['status'] as LinkStatus;
  if (to === 'confirmed' && was !== to) yield* tellOfLink(context, act, row, 'connected');
  if (was === 'confirmed' && to !== was) yield* tellOfLink(context, act, row, 'disconnected');
  return { ...toHead(row), status: to };
}

function* makeLink(
  context: CommandContext,
  act: LinkAct,
  user: LockedUser,
  wanted: WantedLink,
  replaces: number | null,
): Program<LinkHead> {
  const { vault } = context;
  const mrnIndex = mrnIndexOf(vault, wanted);
  const sealed = sealLink(vault, wanted);
  const atMs = act.at.getTime();
  const seq = yield* insertOne`
    INSERT INTO link (tenant, id, user_index, user_sealed, mrn_index, mrn_sealed, status, evidence_sealed, actor,
      made_at, changed_at,
      replaces)
    VALUES (${act.tenant}, ${wanted.id}, ${user.index}, ${sealed.user}, ${mrnIndex}, ${sealed.mrn}, ${wanted.status},
      ${sealed.evidence}, ${act.actor}, ${atMs}, ${atMs}, ${replaces})
    ${RETURNING_SEQ}`;
  const row = {
    id: wanted.id,
    user_index: user.index,
    mrn_index: mrnIndex,
    user_sealed: sealed.user,
    mrn_sealed: sealed.mrn,
  };
  yield* append(context, [auditOfLink(vault, act, row, null, wanted.status)]);
  if (wanted.status === 'confirmed') yield* tellOfLink(context, act, row, 'connected');
  return { seq, id: wanted.id, status: wanted.status, mrnIndex };
}

/** Proposes, confirms or changes the link of a user whose row is held. */
export function* changeLink(
  context: CommandContext,
  act: LinkAct,
  user: LockedUser,
  wanted: WantedLink,
): Program<ChangedLink> {
  const { vault } = context;
  yield* liftErasure(act.tenant, user.index);
  const known = yield* liveLinks(act.tenant, user.index);
  const { change, take, revoke, replaces } = decideChange(toLive(known, mrnIndexOf(vault, wanted)), wanted.status);
  for (const seq of revoke) yield* setStatus(context, act, seq, 'revoked', 'replaced');
  const taken = known.find(({ seq }) => seq === take);
  if (taken === undefined) return { change, link: yield* makeLink(context, act, user, wanted, replaces) };
  if (change === 'unchanged') return { change, link: taken };
  yield* run`UPDATE link SET replaces = ${replaces} WHERE seq = ${taken.seq}`;
  if (wanted.evidence !== null)
    yield* run`UPDATE link SET evidence_sealed = ${sealEvidence(vault, taken.id, wanted.evidence)}
      WHERE seq = ${taken.seq}`;
  return { change, link: yield* setStatus(context, act, taken.seq, wanted.status) };
}

/** Ends what is confirmed and what is proposed of a user whose row is held. Null where there is nothing. */
export function* revokeLink(
  context: CommandContext,
  act: LinkAct,
  user: LockedUser,
  why: string,
  charted: Charted,
): Program<ChangedLink | null> {
  const known = yield* liveLinks(act.tenant, user.index);
  const main = decideRevocation(toLive(known, user.index));
  let link: LinkHead | null = null;
  for (const { seq } of known) {
    const revoked = yield* setStatus(context, act, seq, 'revoked', why);
    if (seq === main?.seq) link = revoked;
  }
  // What an earlier revocation wanted is carried out by now, and says nothing of what was charted since.
  yield* run`
    UPDATE link SET withdraw_at = NULL WHERE tenant = ${act.tenant} AND user_index = ${user.index}
      AND withdraw_at IS NOT NULL`;
  if (charted === 'retract' && main?.status === 'confirmed')
    yield* run`UPDATE link SET withdraw_at = ${act.at.getTime()} WHERE seq = ${main.seq}`;
  return link === null ? null : { change: 'revoked', link };
}

/** Nothing is left of a user whose row is held, and who has no link any more. */
export function* forgetUser(tenant: string, index: Uint8Array): Program<void> {
  yield* run`DELETE FROM link WHERE tenant = ${tenant} AND user_index = ${index}`;
  yield* run`DELETE FROM source_user WHERE tenant = ${tenant} AND user_index = ${index}`;
}
