import { append } from '../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites, RecordKey } from '../commands.ts';
import { grantIndex, idIndex, toAccount } from '../rows.ts';
import { auditChange } from './audit-change.ts';
import { endAllOf } from './end.ts';

export function* remove({ vault }: CommandContext, { tenant, kind, id }: RecordKey): Program<null> {
  yield* run`
    DELETE FROM auth_record WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${idIndex(vault, kind, id)}`;
  return null;
}

export function* removeOfGrant(
  { vault }: CommandContext,
  { tenant, kind, grantId }: AuthWrites['auth.remove-of-grant']['args'],
): Program<null> {
  yield* run`
    DELETE FROM auth_record
    WHERE tenant = ${tenant} AND kind = ${kind} AND grant_index = ${grantIndex(vault, grantId)}`;
  return null;
}

type RemoveClient = AuthWrites['auth.remove-client'];

export function* removeClient(
  context: CommandContext,
  { id, audit }: RemoveClient['args'],
): Program<RemoveClient['out']> {
  yield* run`DELETE FROM auth_origin WHERE tenant = ${audit.tenant} AND client_id = ${id}`;
  // An app of the same id may come later: it must not find what this one was given.
  yield* endAllOf(audit.tenant, 'client', id);
  const removed = yield* run`DELETE FROM auth_client WHERE tenant = ${audit.tenant} AND id = ${id}`;
  yield* auditChange(context, audit, removed);
  return removed === 1 ? 'removed' : 'not-found';
}

type RemoveAccount = AuthWrites['auth.remove-account'];

export function* removeAccount(
  context: CommandContext,
  { id, audit }: RemoveAccount['args'],
): Program<RemoveAccount['out']> {
  const row = yield* get`
    SELECT id, account_sealed, disabled_at FROM auth_account
    WHERE tenant = ${audit.tenant} AND id = ${id} ${FOR_UPDATE}`;
  // Forgotten, the person would come in by the provider as somebody new.
  if (row !== undefined && row['disabled_at'] !== null && toAccount(context.vault, row).origin.kind === 'provider') {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'kept-out';
  }
  yield* endAllOf(audit.tenant, 'account', id);
  const removed = yield* run`DELETE FROM auth_account WHERE tenant = ${audit.tenant} AND id = ${id}`;
  yield* auditChange(context, audit, removed);
  return removed === 1 ? 'removed' : 'not-found';
}
