import type { PostgresOperations } from '../store/index.ts';
import { appendPostgres } from './append-postgres.ts';
import type { AuditReads, AuditWrites } from './commands.ts';

export const writes: PostgresOperations<AuditWrites> = {
  'audit.append': async (context, draft) => {
    await appendPostgres(context, [draft]);
    return null;
  },
};

export const reads: PostgresOperations<AuditReads> = {};
