import type { SqliteOperations } from '../store/index.ts';
import { appendSqlite } from './append-sqlite.ts';
import type { AuditReads, AuditWrites } from './commands.ts';

export const writes: SqliteOperations<AuditWrites> = {
  'audit.append': (context, draft) => {
    appendSqlite(context, draft);
    return null;
  },
};

export const reads: SqliteOperations<AuditReads> = {};
