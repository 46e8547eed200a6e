import type { Result } from '../kernel/index.ts';
import type { Asker } from './record-denial.ts';
import type { ResourceScope } from './scope.ts';

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
}

/**
 * The header `Authorization` to what it allows, without a promise where that is remembered. One fault for every reason;
 * the reason goes to the audit log by itself.
 */
export type VerifyToken = (authorization: string | undefined, asker?: Asker) => Result<Grant> | Promise<Result<Grant>>;
