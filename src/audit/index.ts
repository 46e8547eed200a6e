export { appendPostgres } from './append-postgres.ts';
export { appendSqlite } from './append-sqlite.ts';
export { auditSet, type AuditReads, type AuditWrites } from './commands.ts';
export type { AuditDraft } from './record.ts';
