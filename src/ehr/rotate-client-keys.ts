import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { secret, type Secret } from '../kernel/index.ts';
import { loadClientKeys, type ClientKey, type ClientKeys } from './load-client-key.ts';

const RSA_BITS = 3072;

/**
 * `announced`: there was no next key, and now there is one. The EHR must have fetched it before it signs.
 * `changed`: the next key signs from now on, another is next, and the one before stays published.
 */
export interface RotatedKeys {
  readonly did: 'announced' | 'changed';
  /** The private keys, as CHARTGATE_EHR_PRIVATE_KEY takes them. */
  readonly set: Secret;
  readonly present: string;
  readonly next: string;
  readonly past: string | null;
}

function makeKey(alg: ClientKey['alg']): KeyObject {
  return alg === 'ES384'
    ? generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: RSA_BITS }).privateKey;
}

const privateJwk = ({ privateKey, kid, alg }: ClientKey): JsonWebKey => ({
  ...privateKey.export({ format: 'jwk' }),
  kid,
  alg,
});
const newKey = (alg: ClientKey['alg']): ClientKey =>
  loadClientKeys(secret(JSON.stringify(makeKey(alg).export({ format: 'jwk' }))))[0];

/** The set is the present key, the next one, and the one before, in this order. */
export function rotateClientKeys(given: ClientKeys): RotatedKeys {
  const [present, next] = given;
  const fresh = newKey((next ?? present).alg);
  const keys = next === undefined ? [present, fresh] : [next, fresh, present];
  return {
    did: next === undefined ? 'announced' : 'changed',
    set: secret(`${JSON.stringify({ keys: keys.map(privateJwk) }, null, 2)}\n`),
    present: (next ?? present).kid,
    next: fresh.kid,
    past: next === undefined ? null : present.kid,
  };
}
