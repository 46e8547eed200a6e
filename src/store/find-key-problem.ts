import { StartError, type Secret } from '../kernel/index.ts';
import { checkIdentity, type StoreEnvironment } from './identity.ts';
import type { About } from './own-commands.ts';
import { makeVault } from './vault.ts';

export interface StoreKeys {
  readonly data: readonly Secret[];
  readonly pseudonym: Secret;
}

export const keyBytes = (key: Secret): Uint8Array => new Uint8Array(Buffer.from(key.reveal(), 'base64'));

/** What a start on this database with these keys would end with; null where they fit. */
export function findKeyProblem(about: About, keys: StoreKeys, environment: StoreEnvironment): StartError | null {
  const vault = makeVault({ data: keys.data.map(keyBytes), pseudonym: keyBytes(keys.pseudonym) });
  try {
    checkIdentity(vault, about, about.usedKeys, environment);
    return null;
  } catch (thrown) {
    if (thrown instanceof StartError) return thrown;
    throw thrown;
  }
}
