import { fileBeside } from '../../kernel/index.ts';
import type { CommandSet } from '../commands.ts';
import type { Walk, Walked } from './sealed-table.ts';

/** The last change of the data key, as the database remembers it. */
export interface Resealing {
  /** `waiting`: somebody still seals by an older key. `stuck`: some values do not open, so that their key must stay. */
  readonly state: 'waiting' | 'running' | 'stuck' | 'done';
  /** Ids of keys. A key of `from` seals nothing any more, neither while this goes on nor afterwards. */
  readonly to: string;
  readonly from: readonly string[];
  readonly startedAtMs: number;
  /** When whoever is at it last said so. */
  readonly atMs: number;
  readonly by: string;
  readonly table: string | null;
  readonly rows: number;
  readonly rowsInAll: number;
  readonly resealed: number;
  /** Counted after all was sealed anew; null before. */
  readonly left: number | null;
  readonly scrubbed: 'done' | 'partly' | null;
}

export interface DataKeys {
  /** The key that seals, and the others that sealed what is stored. */
  readonly sealing: string;
  readonly older: readonly string[];
  /** When each of them first sealed something here. */
  readonly firstUsedAtMs: Readonly<Record<string, number>>;
  readonly last: Resealing | null;
}

export type ResealWrites = {
  /** Remembers that it goes on, or how it ended. From the first time on, no key of `from` seals any more. */
  'reseal.note': { args: Resealing; out: null };
  /** Seals the values of one page anew. */
  'reseal.walk': { args: Walk; out: Walked };
  /** Which of the keys a process that is connected seals by. */
  'reseal.in-use': { args: { readonly ids: readonly string[] }; out: readonly string[] };
  /** Forgets the keys: a start without them is no longer refused. */
  'reseal.retire': { args: { readonly ids: readonly string[] }; out: null };
};

export type ResealReads = {
  'reseal.keys': { args: null; out: DataKeys };
  /** The same as the walk, without changing anything. */
  'reseal.count': { args: Walk; out: Walked };
  /** How many rows there are to walk, or about as many. */
  'reseal.rows': { args: { readonly tables: readonly string[] }; out: number };
};

export const resealSet: CommandSet<ResealWrites, ResealReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
