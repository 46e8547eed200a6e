import type { JsonWebKey } from 'node:crypto';
import { ok, type Route } from '../kernel/index.ts';
import type { ClientKey } from './load-client-key.ts';

export interface Jwks {
  readonly keys: readonly Readonly<JsonWebKey>[];
}

/** Empty where we do not sign. Never holds a private member: those of the exported public key are all there is. */
export const publicJwks = (key: ClientKey | null): Jwks => ({ keys: key === null ? [] : [key.publicJwk] });

/** What an EHR fetches to check our assertions, under the address that was registered there. */
export function makeJwksRoute(jwks: Jwks): Route {
  const body = JSON.stringify(jwks);
  return {
    method: 'get',
    path: '/.well-known/jwks.json',
    access: 'open',
    handle: () =>
      ok({
        status: 200,
        headers: { 'Content-Type': 'application/jwk-set+json', 'Cache-Control': 'public, max-age=300' },
        body,
      }),
  };
}
