import type { PostgresContext, SqliteContext } from './commands.ts';
import { performPostgres, performSqlite } from './sql/perform.ts';
import { isErased, liftErasure, userSealer, type UserSealer } from './user-key.ts';

/** For commands that are still written for one engine. */
export const userSealerSqlite = (context: SqliteContext, tenant: string, index: Uint8Array, at: Date): UserSealer =>
  performSqlite(context, userSealer(context, tenant, index, at));
export const userSealerPostgres = (context: PostgresContext, tenant: string, index: Uint8Array, at: Date): Promise<UserSealer> =>
  performPostgres(context, userSealer(context, tenant, index, at));
export const liftErasureSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): void =>
  performSqlite(context, liftErasure(tenant, index));
export const liftErasurePostgres = (context: PostgresContext, tenant: string, index: Uint8Array): Promise<void> =>
  performPostgres(context, liftErasure(tenant, index));
export const isErasedSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): boolean =>
  performSqlite(context, isErased(tenant, index));
export const isErasedPostgres = (context: PostgresContext, tenant: string, index: Uint8Array): Promise<boolean> =>
  performPostgres(context, isErased(tenant, index));
