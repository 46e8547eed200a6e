import type { FaultCode } from '../../kernel/index.ts';
import type { Ask } from '../write-queue.ts';
import type { StoreEnvironment } from '../identity.ts';
import type { VaultKeys } from '../vault.ts';
import type { BlockPlace } from './journal/format.ts';

/** What the two threads are started with. */
export interface ThreadData {
  readonly file: string;
  readonly filesystem: 'local' | 'any';
  readonly folder: 'existing' | 'make';
  readonly keys: VaultKeys;
  readonly writer: string;
  readonly environment: StoreEnvironment;
  /** The `sqlite` files of the modules' command sets. */
  readonly commandFiles: readonly string[];
}

/** An error as it crosses the threads: structured clone keeps no class of ours. */
export interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
}

/** The trouble of the whole database. */
export interface StoreFailure {
  readonly done: false;
  readonly store: FaultCode;
  readonly error: ThreadError;
}
export type ThreadOutcome =
  { readonly done: true; readonly out: unknown } | StoreFailure | { readonly done: false; readonly error: ThreadError };

/** What became of each command; `failure`: nothing of the batch is stored, nor carried out of what was journaled. */
export interface BatchDone {
  readonly outcomes: readonly ThreadOutcome[];
  readonly failure: StoreFailure | null;
}

/** The database as the writer has opened it. */
export interface Opened {
  /** The true path of the file, links followed. */
  readonly file: string;
  readonly version: string;
  readonly migrated: readonly string[];
  /** The id that the database gave itself. */
  readonly store: string;
  /** The last place of the journal, all of which is carried out, and how many entries the start had to carry out. */
  readonly carriedPlace: number;
  readonly recovered: number;
}

export type ToWriter =
  | { readonly kind: 'batch'; readonly asks: readonly Ask[]; readonly journaled: readonly BlockPlace[] }
  | { readonly kind: 'scrub' }
  | { readonly kind: 'close' };

export type FromWriter =
  | { readonly kind: 'open'; readonly opened: Opened }
  | { readonly kind: 'refused'; readonly error: ThreadError }
  | ({ readonly kind: 'batch'; readonly commitMs: number } & BatchDone)
  /** Something that was journaled could not be carried out, and was put aside. */
  | { readonly kind: 'aside'; readonly name: string; readonly error: ThreadError }
  | { readonly kind: 'broken'; readonly error: ThreadError }
  | { readonly kind: 'scrubbed'; readonly done: boolean };

export type ToReader = { readonly kind: 'read'; readonly n: number; readonly ask: Ask } | { readonly kind: 'close' };

export type FromReader =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly error: ThreadError }
  | { readonly kind: 'read'; readonly n: number; readonly outcome: ThreadOutcome };

export function toThreadError(thrown: unknown): ThreadError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: typeof thrown };
  const code = 'errcode' in thrown ? thrown.errcode : 'code' in thrown ? thrown.code : undefined;
  return {
    name: thrown.name,
    message: thrown.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
  };
}

export function fromThreadError(error: ThreadError): Error {
  const out = new Error(error.message);
  out.name = error.name;
  if (error.stack !== undefined) out.stack = error.stack;
  return Object.assign(out, error.code === undefined ? {} : { code: error.code });
}
