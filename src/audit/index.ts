export { appendPostgres } from './append-postgres.ts';
export { appendSqlite } from './append-sqlite.ts';
export { auditSet } from './commands.ts';
export type { AuditDraft } from './record.ts';
