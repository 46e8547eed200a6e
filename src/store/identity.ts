import { StartError } from '../kernel/index.ts';
import type { Vault } from './vault.ts';

/*
 * One row tells which database this is and proves that the given keys fit it: a known word, sealed, and its index.
 * A wrong key is then a clear message at start instead of an unreadable body at the first claim.
 */

const WORD = 'chartgate';
const PLACE = 'store_identity.sealed';

export interface IdentityRow {
  readonly id: string;
  readonly sealed: Uint8Array;
  readonly pseudonym: Uint8Array;
}

export const makeIdentity = (vault: Vault, id: string): IdentityRow => ({
  id,
  sealed: vault.seal(Buffer.from(WORD), PLACE),
  pseudonym: vault.index('store_identity', WORD),
});

export function checkIdentity(vault: Vault, row: IdentityRow): void {
  let word = '';
  try {
    word = vault.open(row.sealed, PLACE).toString();
  } catch {
    // Answered below: which of the reasons it was does not matter to the reader.
  }
  if (word !== WORD)
    throw new StartError(
      'store.data-key',
      'CHARTGATE_DATA_KEY does not fit this database. Give the key that it was made with (after a rotation: "new,old").',
    );
  if (!vault.index('store_identity', WORD).equals(row.pseudonym))
    throw new StartError(
      'store.pseudonym-key',
      'CHARTGATE_PSEUDONYM_KEY does not fit this database. Give the key that it was made with.',
    );
}
