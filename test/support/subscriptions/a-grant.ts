import type { Grant } from '../../../src/auth/index.ts';
import { toScopes } from '../../../src/auth/verify-embedded.ts';
import type { Subscription } from '../../../src/subscriptions/subscription.ts';

/** What a token with these scopes allows, in the context of this patient. */
export const aGrant = (scope: string, patient: string | null = null): Grant => ({
  issuer: 'us',
  subject: 'dr',
  clientId: 'app',
  tokenId: 't',
  ...toScopes(scope),
  patient,
  encounter: null,
  fhirUser: null,
  expiresAt: new Date('2099-01-01T00:00:00Z'),
  origins: [],
});

/** A subscription that this grant made; `contextPatients`: the keyed hashes of its patient. */
export const aSubscriptionBy = (
  grant: Grant,
  contextPatients: readonly string[] = [],
  more: Partial<Subscription> = {},
): Subscription => ({
  seq: 1,
  id: 'sub-1',
  clientId: grant.clientId,
  kind: 'measurement',
  filters: { all: [], within: [] },
  patients: 'any',
  content: 'id-only',
  state: 'active',
  because: null,
  settings: {
    endpoint: 'https://app.example.org/hook',
    headers: [],
    secrets: [{ value: 'whsec_AAAA', untilMs: null }],
    criteria: [],
    reason: 'test',
    payload: 'application/fhir+json',
    heartbeatMs: null,
    timeoutMs: 10_000,
    countMax: 20,
    grant: {
      issuer: grant.issuer,
      clientId: grant.clientId,
      accountId: null,
      subject: grant.subject,
      grantId: null,
      sessionUid: null,
      scope: grant.scopes.map(({ text }) => text).join(' '),
      patient: grant.patient,
      untilMs: null,
    },
    contextPatients,
  },
  madeAt: 0,
  changedAt: 0,
  endAt: null,
  lastNumber: 1,
  sentNumber: 0,
  sentAt: 0,
  failures: 0,
  failingSince: null,
  ...more,
});
