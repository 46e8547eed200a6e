import { makeAppendLater, makeRecordReject, type AuditReads, type AuditWrites } from '../audit/index.ts';
import { ok, type Clock, type Log, type Mount, type Peers, type Route } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { AuthStore } from './adapter.ts';
import { claimGrants } from './claim-grants.ts';
import { makeDiscoveryRoute, oauthUrisOf, smartConfigurationOf, type OauthUris } from './discovery.ts';
import { openWhenAsked } from './open-when-asked.ts';
import { EXTERNAL_REGISTRY, externalConfiguration, externalUris, makeIssuerMetadata } from './external.ts';
import { makeAskStanding, makeAskStandingExternal } from './ask-standing.ts';
import type { AskStanding, VerifyToken } from './grant.ts';
import type { PatientDirectory } from './patients.ts';
import type { PractitionerDirectory } from './practitioners.ts';
import { makeRecordDenial } from './record-denial.ts';
import { makeRegistry, type Registry } from './registry.ts';
import { shareTries } from './share-tries.ts';
import type { SignInSettings } from './sign-in-settings.ts';
import { makeVerifyEmbedded } from './verify-embedded.ts';
import { makeVerifyExternal, type ExternalIssuer } from './verify-external.ts';

export interface Auth {
  readonly mounts: readonly Mount[];
  readonly routes: readonly Route[];
  readonly verifyToken: VerifyToken;
  /** Whether a registered app lives there. */
  isOrigin(origin: string): Promise<boolean>;
  /** Null: the external issuer does not say. */
  oauthUris(): Promise<OauthUris | null>;
  readonly registry: Registry;
  /** For whoever acts for an app after its token has ended. */
  readonly askStanding: AskStanding;
  /** Rejects where the keys of the embedded server can neither be found nor kept. */
  start(): Promise<void>;
  /** Puts refusals into the audit that still wait for it. */
  flush(): void;
}

export function makeAuth(deps: {
  readonly tenant: string;
  /** How others reach the gateway, without a slash at the end. */
  readonly publicUrl: string;
  /** The EHR's FHIR base. */
  readonly ehrBase: string;
  /** Null: the embedded server makes the tokens. */
  readonly external: ExternalIssuer | null;
  readonly pseudonymKey: Uint8Array;
  readonly store: AuthStore;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly patients: PatientDirectory;
  readonly practitioners: PractitionerDirectory;
  /** How people sign in at the embedded server. */
  readonly signIn: SignInSettings;
  /** Whether FHIR has a resource type of this name. */
  readonly isType: (name: string) => boolean;
  /** Told of wrong tries, which count at all of them. */
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
}): Auth {
  const { tenant, publicUrl, store, log } = deps;
  const issuer = `${publicUrl}/auth`;
  const fhirBase = `${publicUrl}/fhir`;
  const rejects = makeRecordReject({
    as: { type: 'auth.reject', action: 'E' },
    append: makeAppendLater(deps.audit, log),
    tenant,
    pseudonymKey: deps.pseudonymKey,
    clock: deps.clock,
  });
  const deny = makeRecordDenial(rejects);
  const parts = { ...deps, issuer, fhirBase, deny };
  const { external } = deps;
  if (external !== null) {
    const metadata = makeIssuerMetadata(external.issuer, deps.clock);
    return {
      mounts: [],
      routes: [
        makeDiscoveryRoute(async () => {
          const found = await metadata();
          return found.ok ? ok(externalConfiguration(found.value)) : found;
        }),
      ],
      verifyToken: makeVerifyExternal({ ...parts, external }),
      isOrigin: (origin) => Promise.resolve(external.origins.includes(origin)),
      async oauthUris() {
        const found = await metadata();
        return found.ok ? externalUris(found.value) : null;
      },
      registry: EXTERNAL_REGISTRY,
      askStanding: makeAskStandingExternal({ issuer: external.issuer, clock: deps.clock }),
      start: () => Promise.resolve(),
      flush: rejects.flush,
    };
  }
  const embedded = openWhenAsked({ ...parts, tries: shareTries(deps.peers, deps.clock) });
  return {
    mounts: [embedded],
    async start() {
      await embedded.start();
      await claimGrants(deps);
    },
    routes: [makeDiscoveryRoute(() => Promise.resolve(ok(smartConfigurationOf(issuer))))],
    verifyToken: makeVerifyEmbedded(parts),
    async isOrigin(origin) {
      const found = await store.read('auth.is-origin', { tenant, origin });
      return found.ok && found.value;
    },
    oauthUris: () => Promise.resolve(oauthUrisOf(issuer)),
    askStanding: makeAskStanding(parts),
    registry: makeRegistry({ ...parts, providerIssuer: deps.signIn.provider?.issuer ?? null }),
    flush: rejects.flush,
  };
}
