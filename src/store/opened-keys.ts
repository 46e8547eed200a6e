import type { CommandContext } from './commands.ts';
import type { Sealer, Vault } from './vault.ts';
import type { Memorable } from './writer-memory.ts';

/*
 * Keys that the writer of SQLite has made or opened of late. A key is found by its sealed form as it stands in its row
 * at that moment, and by its place: without the row nothing is found, so that a destroyed key stays destroyed. Whoever
 * destroys one also forgets them all. On PostgreSQL another process may destroy it, so nothing is remembered.
 */

export interface OpenedKey {
  readonly key: Uint8Array;
  readonly sealer: Sealer;
}

const OPENED: Memorable<Map<string, OpenedKey>> = { fresh: () => new Map() };
const OPENED_MAX = 1_000;

type Opening = Pick<CommandContext, 'vault' | 'memory' | 'engine'>;

const nameOf = (sealed: Uint8Array, place: string): string =>
  Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength).toString('latin1') + place;

export function rememberKey(context: Opening, sealed: Uint8Array, place: string, opened: OpenedKey): void {
  if (context.engine !== 'sqlite') return;
  const known = context.memory.recall(OPENED);
  if (known.size >= OPENED_MAX) known.clear();
  known.set(nameOf(sealed, place), opened);
}

/** What `by` opens; itself, where it is remembered. Throws where it does not open. */
export function openKey(context: Opening, by: Sealer, sealed: Uint8Array, place: string): OpenedKey {
  const known = context.engine === 'sqlite' ? context.memory.recall(OPENED).get(nameOf(sealed, place)) : undefined;
  return known ?? openAnew(context.vault, by, sealed, place);
}

function openAnew(vault: Vault, by: Sealer, sealed: Uint8Array, place: string): OpenedKey {
  const key = by.open(sealed, place);
  return { key, sealer: vault.under(key) };
}

/** It is not needed any more. */
export function forgetKey({ memory }: Opening, sealed: Uint8Array, place: string): void {
  memory.recall(OPENED).delete(nameOf(sealed, place));
}

/** To be called where keys are destroyed. */
export const forgetKeys = ({ memory }: Pick<CommandContext, 'memory'>): void => memory.recall(OPENED).clear();
