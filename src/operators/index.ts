export { isOfOperator, makeAuthenticate, type Authenticate } from './authenticate.ts';
export { operatorSet, type OperatorReads, type OperatorWrites } from './commands.ts';
export {
  checkMay,
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
export type { ProviderSettings } from './provider.ts';
