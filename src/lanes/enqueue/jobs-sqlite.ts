import { performSqlite, type SqliteContext } from '../../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { changeLanes, enqueue } from './commands/jobs.ts';

/** For commands that are still written for one engine. */
export const enqueueSqlite = (context: SqliteContext, ...args: Parameters<typeof enqueue>): void =>
  performSqlite(context, enqueue(...args));
export const changeLanesSqlite = (context: SqliteContext, tenant: string, lanes: LaneChanges): void =>
  performSqlite(context, changeLanes(tenant, lanes));
