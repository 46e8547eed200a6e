import { StartError } from '../kernel/index.ts';
import type { Vault } from './vault.ts';

/*
 * One row tells which database this is and which environment it is of, and proves the pseudonym key; a list remembers
 * every data key that ever sealed a value here. A wrong or missing key is then a clear message at start instead of an
 * unreadable body at the first claim.
 */

const WORD = 'chartgate';

/** Data of the source's sandbox and of its production never meet in one database. */
export type StoreEnvironment = 'production' | 'sandbox';

export interface IdentityRow {
  readonly id: string;
  readonly environment: string;
  readonly pseudonym: Uint8Array;
}

export const makeIdentity = (vault: Vault, id: string, environment: StoreEnvironment): IdentityRow => ({
  id,
  environment,
  pseudonym: vault.index('store_identity', WORD),
});

/** `usedKeys`: the ids of the keys that sealed what is stored. */
export function checkIdentity(
  vault: Vault,
  row: IdentityRow,
  usedKeys: readonly string[],
  environment: StoreEnvironment,
): void {
  if (row.environment !== environment)
    throw new StartError(
      'store.environment',
      `This database is of the environment "${row.environment}", and CHARTGATE_ENVIRONMENT is "${environment}". Give each environment a database of its own, or correct the setting.`,
    );
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
