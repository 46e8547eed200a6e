import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from './commands.ts';
import type { IdentityRow } from './identity.ts';

/** Which database this is, by its own word. */
export interface About extends IdentityRow {
  /** The last schema step that it has seen. */
  readonly schema: number;
  /** The ids of the data keys that sealed what is stored. */
  readonly usedKeys: readonly string[];
}

export type OwnWrites = {
  /** A write of one small row: proves that the store takes writes again. */
  'store.beat': { args: { readonly nowMs: number }; out: null };
};
export type OwnReads = {
  /** Null where this is not one of our databases. */
  'store.about': { args: null; out: About | null };
  /**
   * What is wrong with the file by the engine's own checks: pages, indexes, references. PostgreSQL sees to that when it
   * restores.
   */
  'store.flaws': { args: null; out: readonly string[] };
};

export const storeSet: CommandSet<OwnWrites, OwnReads> = {
  sqlite: fileBeside(import.meta.url, './own/all'),
  postgres: () => import('./own/all.ts'),
};
