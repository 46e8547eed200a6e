import { parseResourceScope, splitScopes } from '../../../src/auth/scope.ts';
import type { Grant } from '../../../src/auth/index.ts';

export const ORIGIN = 'https://app.example.org';

/** A grant as a verified token gives one. */
export function aGrant(scope: string, more: Partial<Grant> = {}): Grant {
  const words = splitScopes(scope);
  const scopes = words.map(parseResourceScope);
  return {
    issuer: 'https://issuer.example.org',
    subject: 'user-1',
    clientId: 'app-1',
    tokenId: 'tok-1',
    scopes: scopes.filter((one) => one !== null),
    words: words.filter((_, i) => scopes[i] === null),
    patient: null,
    encounter: null,
    fhirUser: null,
    expiresAt: new Date('2030-01-01T00:00:00Z'),
    origins: [ORIGIN],
    ...more,
  };
}
