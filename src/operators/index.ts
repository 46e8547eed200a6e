export type { Admit, Admitted, Presence } from './admit.ts';
export { KEY_DAYS_MAX, type StoredApiKey } from './api-key.ts';
export { isOfOperator, makeAuthenticate, type Authenticate, type Authenticated } from './authenticate.ts';
export { csrfOf } from './check-csrf.ts';
export { cookieOf, noCookie, SESSION_COOKIE } from './cookie.ts';
export { operatorSet, type OperatorReads, type OperatorWrites } from './commands.ts';
export {
  checkPresent,
  decideCaller,
  isProved,
  mayGive,
  needsFactor,
  STATIC_KEY,
  type Caller,
  type FactorPolicy,
} from './decide-caller.ts';
export {
  PERMISSIONS,
  PERMISSIONS_OF,
  permissionsOf,
  ROLES,
  STEP_UP,
  type Permission,
  type Role,
} from './permissions.ts';
export { operatorSealed } from './rows.ts';
export { SEARCHES_MAX, type SavedSearch } from './saved-search.ts';
export { makeOperators, type Operators } from './make-operators.ts';
export type { StoredFactor, StoredOperator } from './operator.ts';
export type { OneTimeLink } from './people.ts';
export type { ProviderSettings } from './provider.ts';
export { IDLE_MS } from './session.ts';
export type { ListedSession } from './sessions.ts';
export type { Opened } from './sign-in.ts';
export { visitOf } from './visit-of.ts';
