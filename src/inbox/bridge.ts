import { performPostgres, performSqlite, type PostgresContext, type SqliteContext } from '../store/index.ts';
import type { Destination, Settle, Settled } from './commands.ts';
import { move } from './commands/move.ts';
import { settle } from './commands/settle.ts';
import type { Move } from './move.ts';

/** For commands that are still written for one engine. */
export const moveSqlite = (context: SqliteContext, one: Move): void => performSqlite(context, move(context, [one]));
export const movePostgres = (context: PostgresContext, moves: readonly Move[]): Promise<void> =>
  performPostgres(context, move(context, moves));
export const settleSqlite = (context: SqliteContext, s: Settle, destination: Destination): Settled | null =>
  performSqlite(context, settle(context, s, destination));
export const settlePostgres = (context: PostgresContext, s: Settle, destination: Destination): Promise<Settled | null> =>
  performPostgres(context, settle(context, s, destination));
