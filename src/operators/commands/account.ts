import { append } from '../../audit/index.ts';
import { all, FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { NewLink, OperatorWrites } from '../commands.ts';
import type { Operator } from '../operator.ts';
import {
  accountIndexes,
  isActiveAdministrator,
  joinRoles,
  sealAccount,
  secretIndex,
  toOperator,
  type Row,
} from '../rows.ts';

/** A link replaces the one before it. */
export function* putLink(
  { vault }: CommandContext,
  tenant: string,
  operatorId: string,
  { secret, expiresAtMs }: NewLink,
): Program<void> {
  yield* run`DELETE FROM operator_link WHERE tenant = ${tenant} AND operator_id = ${operatorId}`;
  yield* run`
    INSERT INTO operator_link (tenant, operator_id, secret_index, expires_at)
    VALUES (${tenant}, ${operatorId}, ${secretIndex(vault, 'link', secret)}, ${expiresAtMs})`;
}

export function* insertAccount(
  { vault }: CommandContext,
  tenant: string,
  operator: Operator,
  atMs: number,
): Program<boolean> {
  const { name, subject } = accountIndexes(vault, operator);
  const added = yield* run`
    INSERT INTO operator_account (tenant, id, name_index, subject_index, account_sealed, roles, state, made_at)
    VALUES (${tenant}, ${operator.id}, ${name}, ${subject}, ${sealAccount(vault, operator)},
      ${joinRoles(operator.roles)}, ${operator.state}, ${atMs}) ON CONFLICT DO NOTHING`;
  return added === 1;
}

export function* endSessions(tenant: string, operatorId: string): Program<void> {
  yield* run`DELETE FROM operator_session WHERE tenant = ${tenant} AND operator_id = ${operatorId}`;
}

/** The whole account, locked; null where nobody has the id. */
export function* lockAccount({ vault }: CommandContext, tenant: string, id: string): Program<Operator | null> {
  const row = yield* get`
    SELECT id, account_sealed, roles, state, made_at, signed_in_at FROM operator_account
    WHERE tenant = ${tenant} AND id = ${id} ${FOR_UPDATE}`;
  return row === undefined ? null : toOperator(vault, row);
}

export function* updateAccount({ vault }: CommandContext, tenant: string, operator: Operator): Program<void> {
  yield* run`
    UPDATE operator_account SET account_sealed = ${sealAccount(vault, operator)},
      roles = ${joinRoles(operator.roles)}, state = ${operator.state}
    WHERE tenant = ${tenant} AND id = ${operator.id}`;
}

/** Everybody, locked in one order: two who remove each other's administrator must not both find one left. */
const lockAll = (tenant: string): Program<readonly Row[]> => all`
  SELECT id, roles, state FROM operator_account WHERE tenant = ${tenant} ORDER BY id ${FOR_UPDATE}`;

const isLast = (rows: readonly Row[], id: string): boolean =>
  rows.some((row) => row['id'] === id && isActiveAdministrator(row)) &&
  !rows.some((row) => row['id'] !== id && isActiveAdministrator(row));

type Add = OperatorWrites['operator.add'];

export function* add(context: CommandContext, { operator, link, audit }: Add['args']): Program<Add['out']> {
  const isAdded = yield* insertAccount(context, audit.tenant, operator, audit.at.getTime());
  yield* append(context, [isAdded ? audit : { ...audit, outcome: '4' }]);
  if (!isAdded) return 'name-taken';
  if (link !== null) yield* putLink(context, audit.tenant, operator.id, link);
  return 'added';
}

type Change = OperatorWrites['operator.change'];

export function* change(context: CommandContext, { id, change: to, audit }: Change['args']): Program<Change['out']> {
  const { tenant } = audit;
  const rows = yield* lockAll(tenant);
  const operator = yield* lockAccount(context, tenant, id);
  if (operator === null) return yield* refused(context, audit, 'not-found');
  const changed: Operator = to.kind === 'roles' ? { ...operator, roles: to.roles } : { ...operator, state: to.state };
  const staysAdministrator = changed.state === 'active' && changed.roles.includes('administrator');
  if (isLast(rows, id) && !staysAdministrator) return yield* refused(context, audit, 'last-administrator');
  yield* updateAccount(context, tenant, changed);
  if (changed.state === 'disabled') {
    yield* endSessions(tenant, id);
    yield* run`DELETE FROM operator_link WHERE tenant = ${tenant} AND operator_id = ${id}`;
  }
  yield* append(context, [audit]);
  return 'changed';
}

function* refused<T extends string>(context: CommandContext, audit: Change['args']['audit'], why: T): Program<T> {
  yield* append(context, [{ ...audit, outcome: '4', to: why }]);
  return why;
}

type Remove = OperatorWrites['operator.remove'];

export function* remove(context: CommandContext, { id, audit }: Remove['args']): Program<Remove['out']> {
  const { tenant } = audit;
  const rows = yield* lockAll(tenant);
  if (!rows.some((row) => row['id'] === id)) return yield* refused(context, audit, 'not-found');
  if (isLast(rows, id)) return yield* refused(context, audit, 'last-administrator');
  yield* endSessions(tenant, id);
  yield* run`DELETE FROM operator_link WHERE tenant = ${tenant} AND operator_id = ${id}`;
  yield* run`DELETE FROM operator_factor WHERE tenant = ${tenant} AND operator_id = ${id}`;
  yield* run`DELETE FROM operator_search WHERE tenant = ${tenant} AND operator_id = ${id}`;
  yield* run`DELETE FROM operator_account WHERE tenant = ${tenant} AND id = ${id}`;
  yield* append(context, [audit]);
  return 'removed';
}

type Reset = OperatorWrites['operator.reset'];

export function* reset(context: CommandContext, { id, link, audit }: Reset['args']): Program<Reset['out']> {
  const { tenant } = audit;
  const operator = yield* lockAccount(context, tenant, id);
  if (operator === null) return yield* refused(context, audit, 'not-found');
  if (operator.proof.kind === 'provider') return yield* refused(context, audit, 'of-provider');
  yield* updateAccount(context, tenant, { ...operator, proof: { kind: 'password', password: null } });
  yield* run`DELETE FROM operator_factor WHERE tenant = ${tenant} AND operator_id = ${id}`;
  yield* endSessions(tenant, id);
  yield* putLink(context, tenant, id, link);
  yield* append(context, [audit]);
  return 'reset';
}

type Redeem = OperatorWrites['operator.redeem-link'];

export function* redeemLink(
  context: CommandContext,
  { secret, password, audit }: Redeem['args'],
): Program<Redeem['out']> {
  const { tenant } = audit;
  const link = yield* get`
    DELETE FROM operator_link
    WHERE tenant = ${tenant} AND secret_index = ${secretIndex(context.vault, 'link', secret)}
      AND expires_at > ${audit.at.getTime()}
    RETURNING operator_id`;
  const operator = link === undefined ? null : yield* lockAccount(context, tenant, String(link['operator_id']));
  if (operator?.state !== 'active' || operator.proof.kind !== 'password') {
    yield* append(context, [{ ...audit, outcome: '8', to: 'refused' }]);
    return { state: 'refused' };
  }
  yield* updateAccount(context, tenant, { ...operator, proof: { kind: 'password', password } });
  yield* endSessions(tenant, operator.id);
  yield* append(context, [{ ...audit, actor: operator.name, roles: operator.roles, operatorId: operator.id }]);
  return { state: 'set', operatorId: operator.id };
}

type SetPassword = OperatorWrites['operator.set-password'];

export function* setPassword(
  context: CommandContext,
  { session, password, audit }: SetPassword['args'],
): Program<SetPassword['out']> {
  const { tenant } = audit;
  const held = yield* get`
    SELECT operator_id FROM operator_session
    WHERE tenant = ${tenant} AND id = ${session.id}
      AND secret_index = ${secretIndex(context.vault, 'session', session.secret)} ${FOR_UPDATE}`;
  const operator = held === undefined ? null : yield* lockAccount(context, tenant, String(held['operator_id']));
  if (operator?.proof.kind !== 'password') return yield* refused(context, audit, 'not-found');
  yield* updateAccount(context, tenant, { ...operator, proof: { kind: 'password', password } });
  yield* run`
    DELETE FROM operator_session
    WHERE tenant = ${tenant} AND operator_id = ${operator.id} AND id <> ${session.id}`;
  yield* append(context, [audit]);
  return 'set';
}
