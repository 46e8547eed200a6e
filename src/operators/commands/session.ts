import { append } from '../../audit/index.ts';
import {
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  run,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { HeldSession, NewSession, OperatorWrites, PassedStage } from '../commands.ts';
import {
  credentialIndex,
  sealFactor,
  sealMoment,
  sealSession,
  secretIndex,
  toMoment,
  accountIndexes,
} from '../rows.ts';
import { endSessions, insertAccount, lockAccount, updateAccount } from './account.ts';

/** Expired rows that one writing takes away beside its own work. */
const SWEEP_MAX = 20;

function* insertSession({ vault }: CommandContext, tenant: string, session: NewSession): Program<void> {
  yield* run`
    DELETE FROM operator_session WHERE (tenant, id) IN (
      SELECT tenant, id FROM operator_session
      WHERE expires_at <= ${session.madeAtMs} ORDER BY expires_at LIMIT ${SWEEP_MAX} ${FOR_UPDATE_OF_FREE})`;
  yield* run`
    INSERT INTO operator_session (tenant, id, operator_id, secret_index, session_sealed, stage, factor, made_at,
      seen_at, proved_at, expires_at)
    VALUES (${tenant}, ${session.id}, ${session.operatorId}, ${secretIndex(vault, 'session', session.secret)},
      ${sealSession(vault, session)}, ${session.stage}, ${session.factor}, ${session.madeAtMs}, ${session.seenAtMs},
      ${session.provedAtMs}, ${session.expiresAtMs})`;
  yield* run`
    UPDATE operator_account SET signed_in_at = ${session.madeAtMs}
    WHERE tenant = ${tenant} AND id = ${session.operatorId}`;
}

type SignIn = OperatorWrites['operator.sign-in'];

export function* signIn(context: CommandContext, { session, audit }: SignIn['args']): Program<SignIn['out']> {
  const { tenant } = audit;
  const operator = session === null ? null : yield* lockAccount(context, tenant, session.operatorId);
  // Who was disabled or removed while the password was compared is nobody.
  if (session === null || operator?.state !== 'active') {
    yield* append(context, [session === null ? audit : { ...audit, outcome: '8' }]);
    return 'refused';
  }
  yield* insertSession(context, tenant, session);
  yield* append(context, [audit]);
  return 'signed-in';
}

type ProviderSignIn = OperatorWrites['operator.provider-sign-in'];

export function* providerSignIn(
  context: CommandContext,
  { operator, session, audit }: ProviderSignIn['args'],
): Program<ProviderSignIn['out']> {
  const { tenant } = audit;
  const { subject } = accountIndexes(context.vault, operator);
  yield* insertAccount(context, tenant, operator, audit.at.getTime());
  const row = yield* get`
    SELECT id FROM operator_account WHERE tenant = ${tenant} AND subject_index = ${subject}`;
  const id = String(row?.['id']);
  const known = yield* lockAccount(context, tenant, id);
  const actor = { ...audit, actor: operator.name, roles: operator.roles, operatorId: id };
  if (known?.state !== 'active') {
    yield* append(context, [{ ...actor, outcome: '8', to: 'disabled' }]);
    return { state: 'disabled' };
  }
  yield* updateAccount(context, tenant, { ...operator, id, state: known.state });
  yield* insertSession(context, tenant, { ...session, operatorId: id });
  yield* append(context, [actor]);
  return { state: 'signed-in', operatorId: id };
}

/** Whose it is; null where the secret is no longer its. */
function* lockSession({ vault }: CommandContext, { tenant, id, secret }: HeldSession): Program<string | null> {
  const row = yield* get`
    SELECT operator_id FROM operator_session
    WHERE tenant = ${tenant} AND id = ${id} AND secret_index = ${secretIndex(vault, 'session', secret)} ${FOR_UPDATE}`;
  return row === undefined ? null : String(row['operator_id']);
}

type Pass = OperatorWrites['operator.pass-stage'];

function* use(tenant: string, operatorId: string, used: PassedStage['used'], atMs: number): Program<boolean> {
  if (used === null) return true;
  // Authenticators that do not count always say 0.
  const changed = yield* run`
    UPDATE operator_factor SET counter = ${used.counter}, used_at = ${atMs}
    WHERE tenant = ${tenant} AND id = ${used.factorId} AND operator_id = ${operatorId}
      AND (counter < ${used.counter} OR (kind = 'passkey' AND counter = 0 AND ${typed('bigint', used.counter)} = 0))`;
  return changed === 1;
}

function* moveSession({ vault }: CommandContext, passed: PassedStage): Program<void> {
  const { session, newSecret, stage, factor, provedAtMs, expiresAtMs, audit } = passed;
  yield* run`
    UPDATE operator_session SET secret_index = ${secretIndex(vault, 'session', newSecret)}, stage = ${stage},
      factor = ${factor}, proved_at = ${provedAtMs}, expires_at = ${expiresAtMs}, wrong_tries = 0,
      seen_at = ${audit.at.getTime()}
    WHERE tenant = ${session.tenant} AND id = ${session.id}`;
}

export function* passStage(context: CommandContext, passed: Pass['args']): Program<Pass['out']> {
  const { session, used, audit } = passed;
  const operatorId = yield* lockSession(context, session);
  if (operatorId === null) return 'not-found';
  if (!(yield* use(session.tenant, operatorId, used, audit.at.getTime()))) {
    yield* append(context, [{ ...audit, outcome: '8', to: 'repeated' }]);
    return 'repeated';
  }
  yield* moveSession(context, passed);
  yield* append(context, [audit]);
  return 'passed';
}

type Wrong = OperatorWrites['operator.wrong-proof'];

export function* wrongProof(context: CommandContext, { session, most, audit }: Wrong['args']): Program<Wrong['out']> {
  const operatorId = yield* lockSession(context, session);
  yield* append(context, [audit]);
  if (operatorId === null) return 'not-found';
  const counted = yield* get`
    UPDATE operator_session SET wrong_tries = wrong_tries + 1
    WHERE tenant = ${session.tenant} AND id = ${session.id} RETURNING wrong_tries`;
  if (Number(counted?.['wrong_tries']) < most) return 'counted';
  yield* run`DELETE FROM operator_session WHERE tenant = ${session.tenant} AND id = ${session.id}`;
  return 'ended';
}

type EndSession = OperatorWrites['operator.end-session'];

export function* endSession(
  context: CommandContext,
  { id, operatorId, audit }: EndSession['args'],
): Program<EndSession['out']> {
  const { tenant } = audit;
  const ended =
    operatorId === null
      ? yield* get`DELETE FROM operator_session WHERE tenant = ${tenant} AND id = ${id} RETURNING operator_id`
      : yield* get`
          DELETE FROM operator_session WHERE tenant = ${tenant} AND id = ${id} AND operator_id = ${operatorId}
          RETURNING operator_id`;
  const isEnded = ended !== undefined;
  // Whose session it was: an administrator ends those of others.
  yield* append(context, [
    isEnded ? { ...audit, operatorId: String(ended['operator_id']) } : { ...audit, outcome: '4' },
  ]);
  return isEnded ? 'ended' : 'not-found';
}

type AddFactor = OperatorWrites['operator.add-factor'];

export function* addFactor(context: CommandContext, { factor, passed }: AddFactor['args']): Program<AddFactor['out']> {
  const { tenant } = passed.session;
  const { vault } = context;
  const operatorId = yield* lockSession(context, passed.session);
  if (operatorId !== factor.operatorId) return 'not-found';
  const credential = factor.kind === 'passkey' ? credentialIndex(vault, factor.credentialId) : null;
  const added = yield* run`
    INSERT INTO operator_factor (tenant, id, operator_id, kind, credential_index, factor_sealed, counter, made_at)
    VALUES (${tenant}, ${factor.id}, ${operatorId}, ${factor.kind}, ${credential}, ${sealFactor(vault, factor)},
      ${factor.counter}, ${passed.audit.at.getTime()}) ON CONFLICT DO NOTHING`;
  if (added === 0) {
    yield* append(context, [{ ...passed.audit, outcome: '4', to: 'taken' }]);
    return 'taken';
  }
  yield* moveSession(context, passed);
  yield* append(context, [passed.audit]);
  return 'added';
}

type RemoveFactor = OperatorWrites['operator.remove-factor'];

export function* removeFactor(
  context: CommandContext,
  { id, operatorId, least, sessions, audit }: RemoveFactor['args'],
): Program<RemoveFactor['out']> {
  const { tenant } = audit;
  yield* lockAccount(context, tenant, operatorId);
  const count = yield* get`
    SELECT count(*) AS n FROM operator_factor WHERE tenant = ${tenant} AND operator_id = ${operatorId} AND id <> ${id}`;
  const isLast = Number(count?.['n']) < least;
  const removed = isLast
    ? 0
    : yield* run`
        DELETE FROM operator_factor WHERE tenant = ${tenant} AND id = ${id} AND operator_id = ${operatorId}`;
  if (removed === 1 && sessions === 'end') yield* endSessions(tenant, operatorId);
  yield* append(context, [removed === 1 ? audit : { ...audit, outcome: '4' }]);
  return removed === 1 ? 'removed' : isLast ? 'last' : 'not-found';
}

type PutMoment = OperatorWrites['operator.put-moment'];

export function* putMoment(
  { vault }: CommandContext,
  { tenant, secret, payload, expiresAtMs, atMs }: PutMoment['args'],
): Program<null> {
  yield* run`
    DELETE FROM operator_moment WHERE (tenant, secret_index) IN (
      SELECT tenant, secret_index FROM operator_moment
      WHERE expires_at <= ${atMs} ORDER BY expires_at LIMIT ${SWEEP_MAX} ${FOR_UPDATE_OF_FREE})`;
  const index = secretIndex(vault, 'moment', secret);
  yield* run`
    INSERT INTO operator_moment (tenant, secret_index, moment_sealed, expires_at)
    VALUES (${tenant}, ${index}, ${sealMoment(vault, index, payload)}, ${expiresAtMs})
    ON CONFLICT (tenant, secret_index) DO UPDATE
    SET moment_sealed = excluded.moment_sealed, expires_at = excluded.expires_at`;
  return null;
}

type TakeMoment = OperatorWrites['operator.take-moment'];

export function* takeMoment({ vault }: CommandContext, { tenant, secret, atMs }: TakeMoment['args']): Program<unknown> {
  const row = yield* get`
    DELETE FROM operator_moment
    WHERE tenant = ${tenant} AND secret_index = ${secretIndex(vault, 'moment', secret)} AND expires_at > ${atMs}
    RETURNING secret_index, moment_sealed`;
  return row === undefined ? null : toMoment(vault, row);
}
