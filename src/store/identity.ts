import { StartError } from '../kernel/index.ts';
import type { Vault } from './vault.ts';

/*
 * One row tells which database this is, and proves the pseudonym key; a list remembers every data key that ever sealed a value
 * here. A wrong or missing key is then a clear message at start instead of an unreadable body at the first claim.
 */

const WORD = 'chartgate';

export interface IdentityRow {
  readonly id: string;
  readonly pseudonym: Uint8Array;
}

export const makeIdentity = (vault: Vault, id: string): IdentityRow => ({ id, pseudonym: vault.index('store_identity', WORD) });

/** `usedKeys`: the ids of the keys that sealed what is stored. */
export function checkIdentity(vault: Vault, row: IdentityRow, usedKeys: readonly string[]): void {
  if (!usedKeys.every((id) => vault.keyIds.includes(id)))
    throw new StartError(
      'store.data-key',
      'CHARTGATE_DATA_KEY lacks a key that values in this database are sealed with. Give all of them, the newest first: "new,old".',
    );
  if (!vault.index('store_identity', WORD).equals(row.pseudonym))
    throw new StartError(
      'store.pseudonym-key',
      'CHARTGATE_PSEUDONYM_KEY does not fit this database. Give the key that it was made with.',
    );
}
