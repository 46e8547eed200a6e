import { loadGuide, loadSlowInvariants, problemLines } from '../guides/index.ts';
import { compileGuides, type GuideContent, type GuideProblem, type ProfileSet } from '../r4/index.ts';

const inLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const refused = (problems: readonly GuideProblem[]): { readonly profiles: null; readonly told: string } => ({
  profiles: null,
  told: inLines(problemLines(problems)),
});

function tellNotChecked({ notChecked }: ProfileSet, listsNotChecked: boolean): string {
  if (listsNotChecked)
    return inLines(
      notChecked.map(
        ({ profile, element, what, name, reason }) =>
          `not checked: ${what} ${name} of ${profile} ${element}: ${reason}`,
      ),
    );
  if (notChecked.length === 0) return '';
  return `${notChecked.length} things that the guides ask for are not checked; --not-checked lists them.\n`;
}

/**
 * The profiles of guides, and what to tell a person: everything that is wrong with them at once, or what they ask for
 * that is not checked. `addresses`: of profiles that must be among them.
 */
export async function loadProfiles(wanted: {
  readonly guides: readonly string[];
  readonly addresses: readonly string[];
  readonly invariants: 'compiled' | 'all';
  readonly listsNotChecked: boolean;
}): Promise<{ readonly profiles: ProfileSet | null; readonly told: string }> {
  const contents: GuideContent[] = [];
  const problems: GuideProblem[] = [];
  for (const path of wanted.guides) {
    const loaded = await loadGuide(path);
    if (loaded.ok) contents.push(loaded.value.content);
    else problems.push(...loaded.problems);
  }
  if (problems.length > 0) return refused(problems);
  const compileSlowly = wanted.invariants === 'all' ? loadSlowInvariants() : null;
  const compiled = compileGuides(contents, { compileSlowly });
  if (!compiled.ok) return refused(compiled.problems);
  const profiles = compiled.value;
  const unknown = wanted.addresses.filter((address) => profiles.find(address) === undefined);
  if (unknown.length > 0)
    return refused(
      unknown.map((file) => ({ code: 'profile-unknown', file, path: '', text: 'No guide that was given defines it.' })),
    );
  return { profiles, told: tellNotChecked(profiles, wanted.listsNotChecked) };
}

/** Each profile with its type and what must be supported of it, sorted by address. */
export function profileLines({ profiles }: ProfileSet, form: 'text' | 'json'): string {
  const sorted = profiles.toSorted((a, b) => (a.url < b.url ? -1 : 1));
  return inLines(
    sorted.map(({ url, version, type, name, mustSupport }) => {
      if (form === 'json') return JSON.stringify({ url, version, type, name, mustSupport });
      const supported = mustSupport.length === 0 ? '' : `\n  must support ${mustSupport.join(', ')}`;
      return `${url}${version === null ? '' : `|${version}`}  ${type}  ${name}${supported}`;
    }),
  );
}
