import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';

/** `probe`: the EHR was asked what it can. `load`: mapping data and templates were loaded, or refused. */
export type List = 'probe' | 'load';

/** What was found, by name: compared with what was found before. Nothing of a patient. */
export type Facts = Readonly<Record<string, string>>;

export interface Change {
  readonly what: string;
  /** Null where it was not there. */
  readonly from: string | null;
  /** Null where it is not there any more. */
  readonly to: string | null;
}

export interface Entry {
  readonly actor: string;
  readonly outcome: 'ok' | 'failed';
  readonly faultCode: string | null;
  /** Tells one state from another; empty where it failed and nothing is known. */
  readonly version: string;
  /** How much was found: types of the EHR, rows of the mapping data. */
  readonly size: number;
  readonly facts: Facts;
  readonly problems: readonly string[];
}

/** An entry as it is stored. */
export interface Noted extends Omit<Entry, 'facts'> {
  readonly seq: number;
  readonly firstAt: number;
  /** The last time that the same was found; `count`: how many times in a row. */
  readonly lastAt: number;
  readonly count: number;
  /** Against the last one that succeeded. */
  readonly changes: readonly Change[];
}

/** How many entries of a list are kept: what is the same again takes no room. */
export const KEPT_MAX = 500;

export type HistoryWrites = {
  'history.note': {
    args: { readonly tenant: string; readonly list: List; readonly at: Date; readonly entry: Entry };
    out: Noted;
  };
};

export type HistoryReads = {
  /** Newest first, below this place. */
  'history.list': {
    args: { readonly tenant: string; readonly list: List; readonly before: number | null; readonly limit: number };
    out: readonly Noted[];
  };
};

export const historySet: CommandSet<HistoryWrites, HistoryReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
