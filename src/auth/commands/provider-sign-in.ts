import { append } from '../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { Account } from '../account.ts';
import type { AuthWrites, ProviderSignIn } from '../commands.ts';
import { sealAccount, subjectIndex, toAccount, userIndex } from '../rows.ts';
import { insertAccount } from './add.ts';
import { endAllOf } from './end.ts';

type Args = AuthWrites['auth.provider-sign-in']['args'];

export function* providerSignIn(context: CommandContext, { person, audit }: Args): Program<ProviderSignIn> {
  const { vault } = context;
  const { tenant } = audit;
  const { id, username, name, issuer, subject, fhirUser } = person;
  function* refuse(why: 'disabled' | 'unbound' | 'user-taken', actor?: string): Program<ProviderSignIn> {
    const of = actor === undefined ? {} : { actor };
    // The hospital does not vouch any longer for what was allowed until now.
    if (actor !== undefined) yield* endAllOf(tenant, 'account', actor);
    yield* append(context, [{ ...audit, ...of, outcome: '8', why: `provider:${why}` }]);
    return { state: 'refused', why };
  }
  const index = subjectIndex(vault, issuer, subject);
  const row = yield* get`
    SELECT id, account_sealed, disabled_at FROM auth_account
    WHERE tenant = ${tenant} AND name_index = ${index} ${FOR_UPDATE}`;
  if (row === undefined) {
    if (fhirUser === null) return yield* refuse('unbound');
    const origin = { kind: 'provider', issuer, subject, mappedBy: 'provider' } as const;
    const account: Account = { id, username, name, fhirUser, password: null, totp: null, origin };
    const added = yield* insertAccount(vault, tenant, account, audit.at);
    // The same person may have come in by another browser at this very moment.
    const twin =
      added === 1 ? { id } : yield* get`SELECT id FROM auth_account WHERE tenant = ${tenant} AND name_index = ${index}`;
    if (twin === undefined) return yield* refuse('user-taken');
    const actor = String(twin['id']);
    yield* append(context, [{ ...audit, actor }]);
    return { state: 'signed-in', accountId: actor };
  }
  const known = toAccount(vault, row);
  if (row['disabled_at'] !== null) return yield* refuse('disabled', known.id);
  // What an operator said of the person stays.
  const isMapped = known.origin.kind === 'provider' && known.origin.mappedBy === 'provider';
  if (isMapped && fhirUser === null) return yield* refuse('unbound', known.id);
  const account: Account = { ...known, username, name, fhirUser: isMapped ? (fhirUser ?? '') : known.fhirUser };
  const user = userIndex(vault, account);
  if (account.fhirUser !== known.fhirUser) {
    const other = yield* get`SELECT id FROM auth_account WHERE tenant = ${tenant} AND user_index = ${user}`;
    if (other !== undefined) return yield* refuse('user-taken', known.id);
    // What was allowed as one practitioner is not another's.
    yield* endAllOf(tenant, 'account', known.id);
  }
  yield* run`
    UPDATE auth_account SET account_sealed = ${sealAccount(vault, account)}, user_index = ${user}
    WHERE tenant = ${tenant} AND id = ${known.id}`;
  yield* append(context, [{ ...audit, actor: known.id }]);
  return { state: 'signed-in', accountId: known.id };
}

type Refuse = AuthWrites['auth.provider-refuse'];

export function* providerRefuse(
  context: CommandContext,
  { issuer, subject, given, audit }: Refuse['args'],
): Program<Refuse['out']> {
  const { tenant } = audit;
  const row = yield* get`
    SELECT id FROM auth_account
    WHERE tenant = ${tenant} AND name_index = ${subjectIndex(context.vault, issuer, subject)} ${FOR_UPDATE}`;
  const known = row === undefined ? null : String(row['id']);
  if (known !== null && given === 'ends') yield* endAllOf(tenant, 'account', known);
  yield* append(context, [{ ...audit, ...(known === null ? {} : { actor: known }) }]);
  return null;
}
