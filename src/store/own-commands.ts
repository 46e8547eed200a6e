import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from './commands.ts';

export type OwnWrites = {
  /** A write of one small row: proves that the store takes writes again. */
  'store.beat': { args: { readonly nowMs: number }; out: null };
};
export type OwnReads = Record<string, never>;

export const storeSet: CommandSet<OwnWrites, OwnReads> = {
  sqlite: fileBeside(import.meta.url, './own/sqlite'),
  postgres: () => import('./own/postgres.ts'),
};
