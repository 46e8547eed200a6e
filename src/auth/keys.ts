import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { StartError, type Clock } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';

export interface AuthKeys {
  readonly signing: JWK;
  readonly cookie: string;
}

const SIGNING = 'id-token-rs256-1';
const COOKIE = 'cookie-1';

async function newSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const kid = randomBytes(8).toString('hex');
  return JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' });
}

/** The keys that every replica signs with: made by whoever starts first, and sealed in the store. */
export async function loadKeys(deps: {
  readonly tenant: string;
  readonly store: AuthStore;
  readonly clock: Clock;
}): Promise<AuthKeys> {
  const { tenant, store, clock } = deps;
  async function keep(name: string, make: () => Promise<string>): Promise<string> {
    const found = await store.read('auth.key', { tenant, name });
    if (found.ok && found.value !== null) return found.value;
    const kept = await store.write('auth.keep-key', { tenant, name, value: await make(), at: clock.now() });
    if (kept.ok) return kept.value;
    throw new StartError(kept.fault.code, 'The keys of the authorization server could not be stored.', kept.fault.cause);
  }
  const [signing, cookie] = [
    await keep(SIGNING, newSigningKey),
    await keep(COOKIE, () => Promise.resolve(randomBytes(32).toString('base64url'))),
  ];
  return { signing: JSON.parse(signing) as JWK, cookie };
}
