import { parseResourceScope, sameFilter, splitScopes, type Grant, type ResourceScope } from '../auth/index.ts';

/** An export is for clients that act for themselves: what a token allows for a user or a patient does not count. */
export const systemOnly = (grant: Grant): Grant => ({
  ...grant,
  patient: null,
  scopes: grant.scopes.filter(({ level }) => level === 'system'),
});

export const scopeText = ({ scopes }: Grant): string => scopes.map(({ text }) => text).join(' ');

const isOf = ({ type: of }: ResourceScope, type: string): boolean => of === '*' || of === type;

/**
 * Whether a token still allows all of this type that the token of the start allowed: what was read by a scope that has
 * been narrowed since cannot be told apart in a file.
 */
export function stillCovers(now: Grant, once: string, type: string): boolean {
  const before = splitScopes(once)
    .flatMap((text) => parseResourceScope(text) ?? [])
    .filter((scope) => isOf(scope, type));
  return before.every(({ filter }) =>
    now.scopes.some((scope) => isOf(scope, type) && (scope.filter.length === 0 || sameFilter(scope.filter, filter))),
  );
}

/** Whether Groups can be read: they are the gateway's own, so that no granular scope applies to them. */
export const mayReadGroups = ({ scopes }: Grant): boolean =>
  scopes.some(
    (scope) => isOf(scope, 'Group') && scope.filter.length === 0 && (scope.letters.has('r') || scope.letters.has('s')),
  );
