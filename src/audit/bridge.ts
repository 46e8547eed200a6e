import { performPostgres, performSqlite, type PostgresContext, type SqliteContext } from '../store/index.ts';
import { append } from './append.ts';
import type { AuditDraft } from './record.ts';

/** For the commands of lanes, which are still written for one engine. */
export const appendSqlite = (context: SqliteContext, draft: AuditDraft): void =>
  performSqlite(context, append(context, [draft]));
export const appendPostgres = (context: PostgresContext, drafts: readonly AuditDraft[]): Promise<void> =>
  performPostgres(context, append(context, drafts));
