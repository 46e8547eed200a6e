import { append } from '../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { sealAccount, toAccount } from '../rows.ts';

type PassFactor = AuthWrites['auth.pass-factor'];

export function* passFactor(
  context: CommandContext,
  { accountId, passwordHash, step, secret, audit }: PassFactor['args'],
): Program<PassFactor['out']> {
  const { tenant } = audit;
  const row = yield* get`
    SELECT id, account_sealed, factor_step FROM auth_account
    WHERE tenant = ${tenant} AND id = ${accountId} AND disabled_at IS NULL ${FOR_UPDATE}`;
  const account = row === undefined ? null : toAccount(context.vault, row);
  const used = row?.['factor_step'] ?? null;
  const isFresh = secret === null ? account?.totp !== null && Number(used ?? -1) < step : account?.totp === null;
  if (account === null || account.password?.hash !== passwordHash || !isFresh) {
    yield* append(context, [{ ...audit, outcome: '8', why: 'repeated-code' }]);
    return 'repeated';
  }
  const sealed = sealAccount(context.vault, secret === null ? account : { ...account, totp: secret });
  yield* run`
    UPDATE auth_account SET account_sealed = ${sealed}, factor_step = ${step}, failures = 0
    WHERE tenant = ${tenant} AND id = ${accountId}`;
  yield* append(context, [audit]);
  return 'passed';
}

export function* failFactor(
  context: CommandContext,
  { accountId, audit }: AuthWrites['auth.fail-factor']['args'],
): Program<null> {
  yield* run`UPDATE auth_account SET failures = failures + 1 WHERE tenant = ${audit.tenant} AND id = ${accountId}`;
  yield* append(context, [audit]);
  return null;
}
