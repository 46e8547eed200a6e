import { append } from '../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites, SignIn } from '../commands.ts';
import { nameIndex, toAccount } from '../rows.ts';

export function* signIn(
  context: CommandContext,
  { name, isRight: isEqual, passwordHash, factor, audit }: AuthWrites['auth.sign-in']['args'],
): Program<SignIn> {
  const { tenant } = audit;
  const row = yield* get`
    SELECT id, account_sealed, failures, disabled_at FROM auth_account
    WHERE tenant = ${tenant} AND name_index = ${nameIndex(context.vault, name)} ${FOR_UPDATE}`;
  if (row === undefined) {
    yield* append(context, [{ ...audit, outcome: '8', why: 'unknown-name' }]);
    return { state: 'refused' };
  }
  const actor = String(row['id']);
  if (row['disabled_at'] !== null) {
    yield* append(context, [{ ...audit, actor, outcome: '8', why: 'disabled' }]);
    return { state: 'refused' };
  }
  const account = toAccount(context.vault, row);
  const isRight = isEqual && account.password?.hash === passwordHash;
  const state = account.totp !== null ? 'factor' : factor === 'everybody' ? 'enrol' : 'signed-in';
  const before = Number(row['failures']);
  // Whoever is asked for a code has not signed in yet.
  const failures = !isRight ? before + 1 : state === 'signed-in' ? 0 : before;
  yield* run`UPDATE auth_account SET failures = ${failures} WHERE tenant = ${tenant} AND id = ${actor}`;
  if (!isRight) {
    yield* append(context, [{ ...audit, actor, outcome: '8', why: 'wrong-password' }]);
    return { state: 'refused' };
  }
  yield* append(context, [{ ...audit, actor, outcome: '0', ...(state === 'signed-in' ? {} : { why: 'password' }) }]);
  return { state, accountId: actor };
}
