import { referredBy, type Checked } from './check-page.ts';
import type { Resource } from './whose.ts';

const nameOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;

/** What comes along with these: they refer to it, or it refers to one of them. */
export function alongWith(
  matches: readonly Checked[],
  entries: readonly Checked[],
  ehrBase: string,
): readonly Checked[] {
  const referred = referredBy(matches, ehrBase);
  const names = new Set(matches.map(({ resource }) => nameOf(resource)));
  return entries.filter(
    (one) =>
      one.mode === 'include' &&
      (referred.has(nameOf(one.resource)) || [...referredBy([one], ehrBase)].some((name) => names.has(name))),
  );
}
