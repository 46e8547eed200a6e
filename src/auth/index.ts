export { authSet, type AuthReads, type AuthWrites } from './commands.ts';
export {
  hashPassword,
  makeCheckPassword,
  type CheckPassword,
  type PasswordHash,
  type ShownAccount,
} from './account.ts';
export { makeDelayTries, type DelayTries } from './delay-tries.ts';
export { fetchBounded } from './fetch-bounded.ts';
export { makeLimitTries, SIGN_INS, REQUESTS, type LimitTries } from './limit-tries.ts';
export { PAGE_STYLE } from './page-style.ts';
export { makeSteadyNow } from './steady-now.ts';
export { CLIENT_KINDS, type ClientKind, type ShownClient } from './client.ts';
export type { OauthUris } from './discovery.ts';
export type { AskStanding, Grant, GrantEnd, StandingGrant, VerifyToken } from './grant.ts';
export { standingOfClient } from './ask-standing.ts';
export type { PractitionerDirectory } from './practitioners.ts';
export { LOCAL_SIGN_IN, type SignInSettings } from './sign-in-settings.ts';
export { lookAtIssuer } from './look-at-issuer.ts';
export { makeAuth, type Auth } from './make-auth.ts';
export { ANYBODY } from './patients.ts';
export type { ListedPatients, PatientDirectory, ShownEncounter, ShownPatient, WantedPatient } from './patients.ts';
export type { AppGrant } from './grants.ts';
export type { SigningKeyAge } from './keys.ts';
export type { MadeLaunch, Registry } from './registry.ts';
export { authSealed } from './rows.ts';
export { sameFilter } from './narrow-scope.ts';
export { parseResourceScope, splitScopes, type Letter, type ResourceScope } from './scope.ts';
