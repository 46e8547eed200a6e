import type { JsonWebKey } from 'node:crypto';
import { ok, type Route } from '../kernel/index.ts';
import type { ClientKeys } from './load-client-key.ts';

export interface Jwks {
  readonly keys: readonly Readonly<JsonWebKey>[];
}

/** Empty where we do not sign. Never holds a private member: those of the exported public keys are all there is. */
export const publicJwks = (keys: ClientKeys | null): Jwks => ({
  keys: (keys ?? []).map(({ publicJwk }) => publicJwk),
});

/**
 * What an EHR fetches to check our assertions, under the address that was registered there. The second address is that
 * of earlier versions.
 */
export function makeJwksRoutes(jwks: Jwks): Route[] {
  const body = JSON.stringify(jwks);
  return ['/ehr/jwks.json', '/.well-known/jwks.json'].map((path) => ({
    method: 'get',
    path,
    access: 'open',
    handle: () =>
      ok({
        status: 200,
        headers: { 'Content-Type': 'application/jwk-set+json', 'Cache-Control': 'public, max-age=300' },
        body,
      }),
  }));
}
