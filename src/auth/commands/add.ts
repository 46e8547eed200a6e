import { append } from '../../audit/index.ts';
import { insert, rowsOf, run, type CommandContext, type Program } from '../../store/index.ts';
import type { Client } from '../client.ts';
import type { AuthWrites } from '../commands.ts';
import { nameIndex, sealAccount, sealClient } from '../rows.ts';
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

type AddAccount = AuthWrites['auth.add-account'];

export function* addAccount(
  context: CommandContext,
  { account, audit }: AddAccount['args'],
): Program<AddAccount['out']> {
  const { vault } = context;
  const [name, sealed] = [nameIndex(vault, account.username), sealAccount(vault, account)];
  const added = yield* run`
    INSERT INTO auth_account (tenant, id, name_index, account_sealed, made_at)
    VALUES (${audit.tenant}, ${account.id}, ${name}, ${sealed}, ${audit.at.getTime()}) ON CONFLICT DO NOTHING`;
  yield* auditChange(context, audit, added);
  return added === 1 ? 'added' : 'name-taken';
}
