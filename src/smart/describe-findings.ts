import type { OperationOutcome } from '@medplum/fhirtypes';
import { isObject } from '../kernel/index.ts';
import { toOperationOutcome, type Issue, type ProfileSet } from '../r4/index.ts';
import { findProfile } from './find-profile.ts';
import type { Submission } from './parse-validate.ts';
import type { Json } from './whose.ts';

type OutcomeIssue = OperationOutcome['issue'][number];

const NAMED_MAX = 5;

const note = (
  severity: OutcomeIssue['severity'],
  code: OutcomeIssue['code'],
  text: string,
  expression?: string,
): OutcomeIssue => ({
  severity,
  code,
  details: { text },
  ...(expression === undefined ? {} : { expression: [expression] }),
});

/** What the resource says that it meets, with the place of each claim. */
function claimsOf(resource: Json): readonly { readonly canonical: string; readonly at: string }[] {
  const meta = resource['meta'];
  const claimed = isObject(meta) && Array.isArray(meta['profile']) ? (meta['profile'] as unknown[]) : [];
  return claimed.flatMap((canonical, i) =>
    typeof canonical === 'string' ? [{ canonical, at: `${String(resource['resourceType'])}.meta.profile[${i}]` }] : [],
  );
}

const DELETE =
  'Nothing can be deleted through this gateway: apps write nothing through it. The EHR was not asked whether it would.';
const write = (mode: 'create' | 'update'): string =>
  `The content was judged, and nothing else: apps write nothing through this gateway, so it takes no ${mode}. ` +
  'The EHR was not asked whether it would.';

/** Rules of the profiles in question that nobody judged: said, since silence would pass for consent. */
function notChecked(profiles: readonly string[], set: ProfileSet | null): OutcomeIssue[] {
  return profiles.flatMap((profile) => {
    const left = (set?.notChecked ?? []).filter((one) => one.profile === profile);
    if (left.length === 0) return [];
    const names = left.slice(0, NAMED_MAX).map(({ what, name, element }) => `${what} ${name} at ${element}`);
    const more = left.length > NAMED_MAX ? ` and ${left.length - NAMED_MAX} more` : '';
    return [note('information', 'incomplete', `Not checked of ${profile}: ${names.join('; ')}${more}.`)];
  });
}

export const deletionOutcome = (): OperationOutcome => ({
  resourceType: 'OperationOutcome',
  issue: [note('error', 'not-supported', DELETE)],
});

/** All that is to be said of a resource that was judged: findings first, then what was not looked at. */
export function describeFindings(
  { mode, profile, resource }: Submission & { readonly resource: Json },
  issues: readonly Issue[],
  set: ProfileSet | null,
): OperationOutcome {
  const claims = claimsOf(resource);
  const isLoaded = (canonical: string): boolean => findProfile(canonical, set) !== undefined;
  const wanted = [...new Set([...(profile === null ? [] : [profile]), ...claims.map(({ canonical }) => canonical)])];
  const judged = wanted.flatMap((canonical) => findProfile(canonical, set)?.url ?? []);
  const by = ['R4 4.0.1', ...judged].join(', ');
  const unknown = claims.filter(({ canonical }) => !isLoaded(canonical));
  return {
    resourceType: 'OperationOutcome',
    issue: [
      ...(issues.length > 0
        ? toOperationOutcome(issues).issue
        : [note('information', 'informational', `No findings. Judged by ${by}.`)]),
      ...unknown.map(({ at }) =>
        note('warning', 'not-supported', 'This profile is not loaded, so the claim was not judged.', at),
      ),
      ...notChecked(judged, set),
      ...(mode === 'create' || mode === 'update' ? [note('warning', 'not-supported', write(mode))] : []),
      ...(mode === 'delete' ? deletionOutcome().issue : []),
    ],
  };
}
