import { isWithin, offerParts } from './narrow-scope.ts';
import { isLongAccess } from './describe-scope.ts';
import { parseResourceScope } from './scope.ts';

/**
 * What a person allowed of what was asked for. Words go with the asking, but for lasting access, which is ticked like a
 * scope. A part of a type is worth nothing beside the whole of it.
 */
export function decideConsent(asked: readonly string[], ticked: readonly string[]): readonly string[] {
  return asked.flatMap((one) => {
    const resource = parseResourceScope(one);
    if (resource === null) return isLongAccess(one) && !ticked.includes(one) ? [] : [one];
    if (ticked.includes(one)) return [one];
    return offerParts(one)
      .map(({ scope }) => scope)
      .filter((part) => ticked.includes(part) && isWithin(part, asked));
  });
}
