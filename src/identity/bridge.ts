import { performPostgres, performSqlite, type PostgresContext, type SqliteContext } from '../store/index.ts';
import type { LinkHead } from './commands.ts';
import { confirmedLink, markUser } from './commands/links.ts';

/** For the commands of lanes, which are still written for one engine. */
export const confirmedLinkSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): LinkHead | null =>
  performSqlite(context, confirmedLink(tenant, index));
export const confirmedLinkPostgres = (
  context: PostgresContext,
  tenant: string,
  index: Uint8Array,
): Promise<LinkHead | null> => performPostgres(context, confirmedLink(tenant, index));
export const markUserSqlite = (context: SqliteContext, tenant: string, index: Uint8Array, at: Date | null): void =>
  performSqlite(context, markUser(tenant, index, at));
export const markUserPostgres = (
  context: PostgresContext,
  tenant: string,
  index: Uint8Array,
  at: Date | null,
): Promise<void> => performPostgres(context, markUser(tenant, index, at));
