import { fileBeside } from '../../../src/kernel/index.ts';
import type { CommandSet } from '../../../src/store/index.ts';

/** Reads the audit as it is stored, for tests that recompute it. */
export interface StoredAudit {
  readonly chains: readonly { readonly chain: string; readonly firstLink: string }[];
  readonly records: readonly {
    readonly chain: string;
    readonly seq: number;
    readonly record: string;
    readonly link: string;
  }[];
}
export type ReadAudit = { 'audit-test.everything': { args: null; out: StoredAudit } };

export const readAuditSet: CommandSet<Record<string, never>, ReadAudit> = {
  sqlite: fileBeside(import.meta.url, './all'),
  seesJournaled: true,
  postgres: () => import('./all.ts'),
};
