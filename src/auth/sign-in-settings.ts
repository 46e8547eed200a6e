import type { ProviderCredential } from '../factors/index.ts';
import type { PractitionerMapping } from './map-practitioner.ts';

/** How people sign in at the embedded server. */
export interface SignInSettings {
  /** The hospital's own OpenID provider; null: people have accounts of ours alone. */
  readonly provider: {
    readonly issuer: string;
    readonly clientId: string;
    readonly credential: ProviderCredential;
    readonly scope: string;
    readonly mapping: PractitionerMapping;
    readonly groupsClaim: string;
    readonly groups: readonly string[];
  } | null;
  readonly localAccounts: 'on' | 'off';
  /** Of whom a second factor is asked who has none. */
  readonly secondFactor: 'everybody' | 'nobody';
  /** Origins of EHRs in whose frames sign-in and consent may be shown. */
  readonly frameAncestors: readonly string[];
  /** A document of the site's own that apps take their looks from; null: ours. */
  readonly styleUrl: string | null;
}

/** Names and passwords of our own, and nothing else. */
export const LOCAL_SIGN_IN: SignInSettings = {
  provider: null,
  localAccounts: 'on',
  secondFactor: 'nobody',
  frameAncestors: [],
  styleUrl: null,
};
