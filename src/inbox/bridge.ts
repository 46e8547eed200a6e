import { performPostgres, performSqlite, type PostgresContext, type SqliteContext } from '../store/index.ts';
import { move } from './commands/move.ts';
import type { Move } from './move.ts';

/** For the commands of lanes, which are still written for one engine. */
export const moveSqlite = (context: SqliteContext, one: Move): void => performSqlite(context, move(context, [one]));
export const movePostgres = (context: PostgresContext, moves: readonly Move[]): Promise<void> =>
  performPostgres(context, move(context, moves));
