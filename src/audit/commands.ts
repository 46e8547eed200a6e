import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { AuditDraft } from './record.ts';

export type AuditWrites = {
  /** For an act that has no other effect in the store, such as a refusal. */
  'audit.append': { args: AuditDraft; out: null };
};
export type AuditReads = Record<string, never>;

export const auditSet: CommandSet<AuditWrites, AuditReads> = {
  sqlite: fileBeside(import.meta.url, './sqlite'),
  postgres: () => import('./postgres.ts'),
};
