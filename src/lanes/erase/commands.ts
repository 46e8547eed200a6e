import { fileBeside } from '../../kernel/index.ts';
import type { LinkAct, SourceUser } from '../../identity/index.ts';
import type { CommandSet } from '../../store/index.ts';
import type { Counted } from './tables.ts';

/** What is stored of a source user, table by table, and what stands in the way of its erasure. */
export interface EraseLook {
  /** Something is, or was, stored of the user. */
  readonly isKnown: boolean;
  readonly erasedAt: number | null;
  /** Links that are proposed or confirmed. */
  readonly links: number;
  /** Deliveries on their way to the chart, and documents on their way out of it. */
  readonly moving: number;
  readonly counts: readonly Counted[];
}

export type EraseWrites = {
  /** Destroys what the next deliveries of the user hold. Gives how many it was at; 0: nothing is left to do. */
  'erase.some': { args: LinkAct & { readonly user: SourceUser; readonly limit: number }; out: number };
  /**
   * Destroys the user's key, its links and its row, and records it. `more`: something came meanwhile. `linked`, `busy`:
   * see `EraseLook`.
   */
  'erase.finish': {
    args: LinkAct & { readonly user: SourceUser; readonly counts: Readonly<Record<string, number>> };
    out: 'done' | 'more' | 'linked' | 'busy';
  };
};

export type EraseReads = {
  'erase.look': { args: { readonly tenant: string; readonly user: SourceUser }; out: EraseLook };
};

export const eraseSet: CommandSet<EraseWrites, EraseReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
