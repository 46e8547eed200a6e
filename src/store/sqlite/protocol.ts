import type { FaultCode } from '../../kernel/index.ts';
import type { Ask } from '../write-queue.ts';
import type { StoreEnvironment } from '../identity.ts';
import type { VaultKeys } from '../vault.ts';

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

export type ThreadOutcome =
  | { readonly done: true; readonly out: unknown }
  | { readonly done: false; readonly store: FaultCode; readonly error: ThreadError }
  | { readonly done: false; readonly error: ThreadError };

export type ToWriter =
  { readonly kind: 'batch'; readonly asks: readonly Ask[] } | { readonly kind: 'scrub' } | { readonly kind: 'close' };

export type FromWriter =
  | { readonly kind: 'open'; readonly file: string; readonly version: string; readonly migrated: readonly string[] }
  | { readonly kind: 'refused'; readonly error: ThreadError }
  | { readonly kind: 'batch'; readonly outcomes: readonly ThreadOutcome[]; readonly commitMs: number }
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
