import { loadSlowInvariants, problemLines, type LoadedGuide } from '../guides/index.ts';
import { StartError } from '../kernel/index.ts';
import { compileGuides, type GuideProblem, type ProfileSet } from '../r4/index.ts';

/** Guides that are none are refused as a whole, with all that is wrong. */
export class GuidesError extends StartError {
  readonly problems: readonly GuideProblem[];

  constructor(problems: readonly GuideProblem[]) {
    super('guides.refused', ['The guides cannot be used:', ...problemLines(problems)].join('\n  '));
    this.problems = problems;
  }
}

/** The last ones: the same guides are asked for with every change of the mapping data. */
let last: { readonly digests: string; readonly profiles: ProfileSet } | null = null;

/** The profiles of guides; null where there are none. Throws a StartError with every problem. */
export function compileProfiles(guides: readonly LoadedGuide[], invariants: 'compiled' | 'all'): ProfileSet | null {
  if (guides.length === 0) return null;
  const digests = [invariants, ...guides.map(({ digest }) => digest)].join();
  if (last?.digests === digests) return last.profiles;
  const compiled = compileGuides(
    guides.map(({ content }) => content),
    { compileSlowly: invariants === 'all' ? loadSlowInvariants() : null },
  );
  if (!compiled.ok) throw new GuidesError(compiled.problems);
  last = { digests, profiles: compiled.value };
  return compiled.value;
}
