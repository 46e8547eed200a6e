import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

/** An external issuer of our own: any token can be minted, with right or wrong keys. */
export interface Issuer {
  readonly url: string;
  readonly jwksUrl: string;
  readonly keys: IssuerKeys;
  /** Fetches of key sets that only an attacker's token names. */
  readonly lured: () => number;
  readonly lureUrl: string;
  close(): Promise<void>;
}

export interface IssuerKeys {
  readonly es256: CryptoKey;
  readonly rs256: CryptoKey;
  /** Not published; with the kid of the published one. */
  readonly stranger: CryptoKey;
  readonly strangerJwk: JWK;
  readonly rsaPem: string;
  readonly rsaJwk: JWK;
}

export const ES_KID = 'es-1';
export const RS_KID = 'rs-1';

/** Made once: the making is the dear part of a start, and no attack is about the issuer's own keys being shared. */
let made: Promise<{ readonly keys: IssuerKeys; readonly jwks: { readonly keys: readonly JWK[] } }> | undefined;

async function makeKeys(): Promise<{ readonly keys: IssuerKeys; readonly jwks: { readonly keys: readonly JWK[] } }> {
  const [ec, rsa, stranger] = await Promise.all([
    generateKeyPair('ES256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
  ]);
  const rsaJwk = { ...(await exportJWK(rsa.publicKey)), kid: RS_KID, alg: 'RS256', use: 'sig' };
  const strangerJwk = { ...(await exportJWK(stranger.publicKey)), kid: ES_KID, alg: 'ES256', use: 'sig' };
  return {
    jwks: { keys: [{ ...(await exportJWK(ec.publicKey)), kid: ES_KID, alg: 'ES256', use: 'sig' }, rsaJwk] },
    keys: {
      es256: ec.privateKey,
      rs256: rsa.privateKey,
      stranger: stranger.privateKey,
      strangerJwk,
      rsaPem: await exportSPKI(rsa.publicKey),
      rsaJwk,
    },
  };
}

export async function startIssuer(): Promise<Issuer> {
  made ??= makeKeys();
  const { keys, jwks } = await made;
  let lured = 0;
  const server = createServer((req, res) => {
    const isLure = (req.url ?? '').startsWith('/lure');
    if (isLure) lured += 1;
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const body =
      req.url === '/jwks'
        ? jwks
        : isLure
          ? { keys: [keys.strangerJwk] }
          : {
              issuer,
              jwks_uri: `${issuer}/jwks`,
              token_endpoint: `${issuer}/token`,
              authorization_endpoint: `${issuer}/authorize`,
            };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    jwksUrl: `${url}/jwks`,
    lureUrl: `${url}/lure`,
    keys,
    lured: () => lured,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Claims = Readonly<Record<string, unknown>>;

let minted = 0;

/** A sound token, but for what is changed. A claim that is `undefined` is left out. */
export function soundClaims(issuer: string, audience: string, more: Claims = {}): Claims {
  const now = Math.floor(Date.now() / 1000);
  minted += 1;
  return {
    iss: issuer,
    aud: audience,
    sub: 'app-user',
    client_id: 'attack-app',
    scope: 'patient/*.rs',
    patient: 'idalpha',
    fhirUser: 'Practitioner/idshare-prac',
    jti: `jti-${process.pid}-${now}-${minted}`,
    iat: now,
    exp: now + 300,
    ...more,
  };
}

export function sign(
  keys: IssuerKeys,
  claims: Claims,
  header: Claims = {},
  key: CryptoKey = keys.es256,
): Promise<string> {
  return new SignJWT(Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ES_KID, ...header })
    .sign(key);
}

/** A right signature over a header that no library would write. */
export async function signAnything(keys: IssuerKeys, claims: Claims, header: Claims): Promise<string> {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, keys.es256, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}
