import type { AuditDraft } from '../../../src/audit/index.ts';
import { fileBeside } from '../../../src/kernel/index.ts';
import type { CommandSet, Operations } from '../../../src/store/index.ts';

/**
 * How a command goes on after it has appended: it ends, throws, catches an error of the database and ends all the same,
 * or leaves a row behind for which the commit of its batch is refused.
 */
export const ENDINGS = ['returns', 'throws', 'swallows', 'refused'] as const;
export type Ending = (typeof ENDINGS)[number];

export type ChainWrites = {
  'chain.append': { args: { readonly drafts: readonly AuditDraft[]; readonly ending: Ending }; out: null };
};

/** A row of it without its other is found only by the commit. */
export const REFUSED_AT_COMMIT =
  'CREATE TABLE half (id bigint PRIMARY KEY, other bigint NOT NULL REFERENCES half (id) DEFERRABLE INITIALLY DEFERRED)';

export const chainSet: CommandSet<ChainWrites, Operations> = {
  sqlite: fileBeside(import.meta.url, './all'),
  postgres: () => import('./all.ts'),
};
