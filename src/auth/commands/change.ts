import { append } from '../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { Account } from '../account.ts';
import type { AuthWrites } from '../commands.ts';
import { sealAccount, sealClient, toAccount, toStoredAccount } from '../rows.ts';
import { insertOrigins } from './add.ts';
import { auditChange } from './audit-change.ts';
import { endAllOf } from './end.ts';

type ChangeClient = AuthWrites['auth.change-client'];

export function* changeClient(
  context: CommandContext,
  { client, given, audit }: ChangeClient['args'],
): Program<ChangeClient['out']> {
  const { tenant } = audit;
  const changed = yield* run`
    UPDATE auth_client SET client_sealed = ${sealClient(context.vault, client)}
    WHERE tenant = ${tenant} AND id = ${client.id}`;
  if (changed === 1) {
    yield* run`DELETE FROM auth_origin WHERE tenant = ${tenant} AND client_id = ${client.id}`;
    yield* insertOrigins(tenant, client);
    if (given === 'ends') yield* endAllOf(tenant, 'client', client.id);
  }
  yield* auditChange(context, audit, changed);
  return changed === 1 ? 'changed' : 'not-found';
}

type SetClientState = AuthWrites['auth.set-client-state'];

export function* setClientState(
  context: CommandContext,
  { id, state, audit }: SetClientState['args'],
): Program<SetClientState['out']> {
  const { tenant, at } = audit;
  const changed = yield* run`
    UPDATE auth_client SET disabled_at = ${state === 'disabled' ? at.getTime() : null}
    WHERE tenant = ${tenant} AND id = ${id}`;
  // Who is enabled again begins anew: what was given out before may be in wrong hands.
  if (state === 'disabled') yield* endAllOf(tenant, 'client', id);
  yield* auditChange(context, audit, changed);
  return changed === 1 ? 'changed' : 'not-found';
}

type ChangeAccount = AuthWrites['auth.change-account'];

export function* changeAccount(
  context: CommandContext,
  { id, change, audit }: ChangeAccount['args'],
): Program<ChangeAccount['out']> {
  const { tenant, at } = audit;
  const row = yield* get`
    SELECT id, account_sealed, failures, disabled_at, unlocked_at FROM auth_account
    WHERE tenant = ${tenant} AND id = ${id} ${FOR_UPDATE}`;
  if (row === undefined) {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'not-found';
  }
  const rest = toStoredAccount(context.vault, row);
  const isOurs = rest.origin.kind === 'local';
  if (!isOurs && (change.kind === 'password' || change.kind === 'factor')) {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'of-provider';
  }
  const account: Account = {
    ...toAccount(context.vault, row),
    ...(change.kind === 'password' ? { password: change.password } : {}),
    ...(change.kind === 'factor' ? { totp: null } : {}),
  };
  const atMs = at.getTime();
  const isDisabled = change.kind === 'state' ? change.state === 'disabled' : rest.state === 'disabled';
  const isFree = change.kind !== 'state';
  yield* run`
    UPDATE auth_account SET
      account_sealed = ${sealAccount(context.vault, account)},
      failures = ${isFree ? 0 : rest.wrongTries},
      unlocked_at = ${isFree ? atMs : rest.unlockedAtMs},
      disabled_at = ${isDisabled ? atMs : null}
    WHERE tenant = ${tenant} AND id = ${id}`;
  if (change.kind === 'password' || change.kind === 'factor' || isDisabled) yield* endAllOf(tenant, 'account', id);
  yield* append(context, [audit]);
  return 'changed';
}
