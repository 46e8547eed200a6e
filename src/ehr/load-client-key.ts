import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { StartError, type Secret } from '../kernel/index.ts';

/** The key that we sign client assertions with. */
export interface ClientKey {
  readonly privateKey: KeyObject;
  readonly alg: 'RS384' | 'ES384';
  readonly kid: string;
  /** The public half, as the EHR reads it. */
  readonly publicJwk: Readonly<JsonWebKey>;
}

const RSA_BITS_MIN = 2048;

type Parsed = { readonly key: KeyObject; readonly kid: string | null };

function parseJwk(jwk: JsonWebKey & { kid?: unknown }): Parsed {
  return { key: createPrivateKey({ key: jwk, format: 'jwk' }), kid: typeof jwk.kid === 'string' ? jwk.kid : null };
}

function parseKeys(text: string): Parsed[] {
  if (!text.trimStart().startsWith('{')) return [{ key: createPrivateKey(text), kid: null }];
  const given = JSON.parse(text) as JsonWebKey & { keys?: unknown };
  return Array.isArray(given.keys) ? (given.keys as JsonWebKey[]).map(parseJwk) : [parseJwk(given)];
}

/** RFC 7638: the required members in the order of their names. */
function thumbprint({ kty, crv, x, y, e, n }: JsonWebKey): string {
  const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

function algOf(key: KeyObject): ClientKey['alg'] | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= RSA_BITS_MIN ? 'RS384' : null;
  return type === 'ec' && details?.namedCurve === 'secp384r1' ? 'ES384' : null;
}

function toClientKey({ key, kid: given }: Parsed): ClientKey {
  const alg = algOf(key);
  if (alg === null)
    throw new StartError('ehr.key', 'CHARTGATE_EHR_PRIVATE_KEY must be RSA of 2048 bits or more, or EC on P-384.');
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = given ?? thumbprint(jwk);
  return { privateKey: key, alg, kid, publicJwk: { ...jwk, kid, alg, use: 'sig', key_ops: ['verify'] } };
}

export type ClientKeys = readonly [signing: ClientKey, ...others: ClientKey[]];

/**
 * One key, or a set of keys as JWKs: the first signs, the others are published beside it, because they will sign next
 * or have signed before. SMART Backend Services asks for RS384 or ES384; which one follows from the key. Throws at
 * start where neither does.
 */
export function loadClientKeys(given: Secret): ClientKeys {
  let parsed: Parsed[];
  try {
    parsed = parseKeys(given.reveal());
  } catch {
    // The cause is left out: it may quote the key.
    throw new StartError(
      'ehr.key',
      'CHARTGATE_EHR_PRIVATE_KEY is neither a private key in PEM, nor one as JWK, nor a set of such JWKs.',
    );
  }
  const [signing, ...others] = parsed.map(toClientKey);
  if (signing === undefined) throw new StartError('ehr.key', 'CHARTGATE_EHR_PRIVATE_KEY is a set without a key.');
  const kids = new Set([signing, ...others].map(({ kid }) => kid));
  if (kids.size <= others.length)
    throw new StartError('ehr.key', 'CHARTGATE_EHR_PRIVATE_KEY is a set in which two keys have one kid.');
  return [signing, ...others];
}
