import type { Issue } from '../r4/index.ts';
import type { Translation } from '../translate/index.ts';

/** What a resource misses of a profile. */
export interface ProfileFinding {
  readonly rule: string;
  /** FHIRPath of the place. */
  readonly at: string;
  /** Whose rule it is; null where the definition of an extension asks for it. */
  readonly profile: string | null;
  readonly text: string;
}

export const findingOf = ({ rule, expression, profile, text }: Issue): ProfileFinding => ({
  rule,
  at: expression,
  profile: profile ?? null,
  text,
});

const ENTRY = /^Bundle\.entry\[(\d+)\]\.resource/;

/** The findings of each resource that is wanted, told within that; and those of the Patient and the Provenance. */
export function findingsByName(
  { wanted }: Translation,
  issues: readonly Issue[],
): { readonly byName: ReadonlyMap<string, readonly ProfileFinding[]>; readonly others: readonly Issue[] } {
  const byName = new Map<string, ProfileFinding[]>();
  const others: Issue[] = [];
  for (const issue of issues) {
    const [inBundle = '', place = '0'] = ENTRY.exec(issue.expression) ?? [];
    // The Patient stands before them in the Bundle.
    const one = inBundle === '' ? undefined : wanted[Number(place) - 1];
    if (one === undefined) {
      others.push(issue);
      continue;
    }
    const found = { ...findingOf(issue), at: one.resource.resourceType + issue.expression.slice(inBundle.length) };
    byName.set(one.name, [...(byName.get(one.name) ?? []), found]);
  }
  return { byName, others };
}
