import type { Result } from '../kernel/index.ts';
import type { Asker } from './record-denial.ts';
import type { ResourceScope } from './scope.ts';

/**
 * What is kept of a token by whoever acts for its app after it has ended: enough to ask anew, at any time, whether the
 * app may still do what it could, and nothing that could be used instead of the token.
 */
export interface StandingGrant {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: the client acts for itself. */
  readonly accountId: string | null;
  readonly subject: string;
  /** Names the token in the audit log, where no grant does. */
  readonly tokenId?: string;
  /** `grt_…`: what the person has granted, without which nothing is left. Null for a client that acts for itself. */
  readonly grantId: string | null;
  /** Of a session with which the token was to end. */
  readonly sessionUid: string | null;
  /** The scopes that the token had. */
  readonly scope: string;
  readonly patient: string | null;
  /** When it ends in any case; null: when the grant does, or the work for which it is kept. */
  readonly untilMs: number | null;
}

/** Why nothing is left of a standing grant. */
export type GrantEnd = 'client-ended' | 'account-ended' | 'grant-ended' | 'session-ended' | 'token-ended';

/** Asks whether a standing grant still stands, and gives what it allows now: never more than the token did. */
export type AskStanding = (standing: StandingGrant) => Promise<Result<Grant | GrantEnd>>;

/** What a verified token allows, whoever issued it. */
export interface Grant {
  readonly issuer: string;
  /** Who: the signed-in user, or the client itself for `system/`. */
  readonly subject: string;
  readonly clientId: string;
  /** Names the token in the audit log; never the token itself. */
  readonly tokenId: string;
  readonly scopes: readonly ResourceScope[];
  /** The other words of the scope: `openid`, `launch/patient`. */
  readonly words: readonly string[];
  /** Id of the Patient in context at the EHR. Without one a `patient/` scope allows nothing. */
  readonly patient: string | null;
  readonly encounter: string | null;
  /** Relative: `Practitioner/1`. */
  readonly fhirUser: string | null;
  readonly expiresAt: Date;
  /** Origins from which a browser may call for this client. */
  readonly origins: readonly string[];
  /** Absent where nobody can be asked anew: an external issuer's token stands for itself alone. */
  readonly standing?: StandingGrant;
}

/**
 * The header `Authorization` to what it allows, without a promise where that is remembered. One fault for every reason;
 * the reason goes to the audit log by itself.
 */
export type VerifyToken = (authorization: string | undefined, asker?: Asker) => Result<Grant> | Promise<Result<Grant>>;
