import { append } from '../../audit/index.ts';
import { get, insert, rowsOf, run, type CommandContext, type Program, type Vault } from '../../store/index.ts';
import type { Account } from '../account.ts';
import type { Client } from '../client.ts';
import type { AuthWrites } from '../commands.ts';
import { accountIndex, sealAccount, sealClient, userIndex } from '../rows.ts';
import { auditChange } from './audit-change.ts';

const AUTH_ORIGIN = rowsOf('auth_origin', { tenant: 'text', origin: 'text', client_id: 'text' });

export const insertOrigins = (tenant: string, client: Client): Program<unknown> =>
  insert(
    AUTH_ORIGIN,
    client.origins.map((origin) => ({ tenant, origin, client_id: client.id })),
  );

type AddClient = AuthWrites['auth.add-client'];

export function* addClient(context: CommandContext, { client, audit }: AddClient['args']): Program<AddClient['out']> {
  const { tenant, at } = audit;
  const added = yield* run`
    INSERT INTO auth_client (tenant, id, client_sealed, made_at)
    VALUES (${tenant}, ${client.id}, ${sealClient(context.vault, client)}, ${at.getTime()}) ON CONFLICT DO NOTHING`;
  if (added === 0) return 'id-taken';
  yield* insertOrigins(tenant, client);
  yield* append(context, [audit]);
  return 'added';
}

/** One for whom there is a place: 1; else 0. */
export const insertAccount = (vault: Vault, tenant: string, account: Account, at: Date): Program<number> => run`
  INSERT INTO auth_account (tenant, id, name_index, user_index, account_sealed, made_at)
  VALUES (${tenant}, ${account.id}, ${accountIndex(vault, account)}, ${userIndex(vault, account)},
    ${sealAccount(vault, account)}, ${at.getTime()}) ON CONFLICT DO NOTHING`;

type AddAccount = AuthWrites['auth.add-account'];

export function* addAccount(
  context: CommandContext,
  { account, audit }: AddAccount['args'],
): Program<AddAccount['out']> {
  const { vault } = context;
  const added = yield* insertAccount(vault, audit.tenant, account, audit.at);
  yield* auditChange(context, audit, added);
  if (added === 1) return 'added';
  const user = userIndex(vault, account);
  const other = yield* get`SELECT 1 AS one FROM auth_account WHERE tenant = ${audit.tenant} AND user_index = ${user}`;
  return other === undefined ? 'name-taken' : 'user-taken';
}
