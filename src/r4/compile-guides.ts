import type { StructureDefinition } from '@medplum/fhirtypes';
import { coreProfile } from './definitions/core-profiles.ts';
import { makeProfileSet, type ProfileSet } from './profile-engine/make-profile-set.ts';
import type { CompileSlowly } from './profile-engine/profile-source.ts';
import { isUcum } from './runtime/ucum.ts';
import type { GuideContent } from './guides/collect-guide.ts';
import { withoutVersion, type GuideProblem, type GuideResult } from './guides/guide-problem.ts';
import { makeSnapshot } from './guides/make-snapshot.ts';
import { makeTerminology } from './guides/terminology.ts';

/** Value sets of all that a grammar allows: nobody can list them, and everybody can tell. */
const BY_GRAMMAR: Readonly<Record<string, { readonly system: string; readonly isCode: (code: string) => boolean }>> = {
  'http://hl7.org/fhir/ValueSet/ucum-units': { system: 'http://unitsofmeasure.org', isCode: isUcum },
  'http://hl7.org/fhir/ValueSet/all-languages': {
    system: 'urn:ietf:bcp:47',
    isCode: (code) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(code),
  },
};

interface OwnDefinition {
  readonly structure: StructureDefinition;
  readonly file: string;
}

/** Profiles that are their own base, through others or by themselves, whether or not they bring snapshots. */
function findCycles(own: ReadonlyMap<string, OwnDefinition>): GuideProblem[] {
  const isBaseOfItself = (url: string): boolean => {
    const seen = new Set<string>();
    for (let at: string | undefined = url; at !== undefined && !seen.has(at);) {
      seen.add(at);
      const base: string | undefined = own.get(at)?.structure.baseDefinition;
      at = base === undefined ? undefined : withoutVersion(base);
      if (at === url) return true;
    }
    return false;
  };
  return [...own]
    .filter(([url]) => isBaseOfItself(url))
    .map(([url, { file }]) => ({
      code: 'profile-cycle',
      file,
      path: 'StructureDefinition.baseDefinition',
      text: `${url} is its own base.`,
    }));
}

/**
 * Compiles the profiles of guides, earlier ones first, on top of what R4 itself defines. Problems are told all at once;
 * with any, there are no guides. `compileSlowly`: for invariants that cannot be compiled.
 */
export function compileGuides(
  guides: readonly GuideContent[],
  { compileSlowly = null }: { readonly compileSlowly?: CompileSlowly | null } = {},
): GuideResult<ProfileSet> {
  const problems: GuideProblem[] = [];
  const own = new Map<string, OwnDefinition>();
  for (const { structures, files } of guides) {
    for (const structure of structures) {
      const { url } = structure;
      if (!own.has(url)) own.set(url, { structure, file: files.get(url) ?? url });
    }
  }
  problems.push(...findCycles(own));
  if (problems.length > 0) return { ok: false, problems };
  const made = new Map<string, StructureDefinition>();
  const baseOf = (canonical: string): StructureDefinition | undefined => {
    const url = withoutVersion(canonical);
    return own.get(url)?.structure ?? coreProfile(url);
  };
  function structureOf(url: string): StructureDefinition | undefined {
    const known = made.get(url);
    const found = known ?? baseOf(url);
    if (found === undefined || known !== undefined || found.derivation !== 'constraint') return found;
    const hasSnapshot = (found.snapshot?.element.length ?? 0) > 0;
    const whole = hasSnapshot ? { ok: true as const, value: found } : makeSnapshot(found, baseOf);
    // Without elements it asks for nothing; the problem is told, and the guides are refused.
    if (!whole.ok) problems.push(...whole.problems.map((one) => ({ ...one, file: own.get(url)?.file ?? one.file })));
    const structure = whole.ok ? whole.value : found;
    made.set(url, structure);
    return structure;
  }
  const terminology = makeTerminology(guides);
  const { set, problems: faults } = makeProfileSet({
    urls: [...own.keys()],
    structureOf,
    compileSlowly,
    hasCode: terminology.hasCode,
    bindingOf(valueSet) {
      const address = withoutVersion(valueSet);
      const grammar = Object.hasOwn(BY_GRAMMAR, address) ? BY_GRAMMAR[address] : undefined;
      if (grammar !== undefined) {
        const has = (system: string | undefined, code: string): boolean =>
          (system === undefined || system === grammar.system) && grammar.isCode(code);
        return { valueSet, has, hasCode: grammar.isCode };
      }
      const members = terminology.expand(valueSet);
      return 'notExpanded' in members ? members : { valueSet, has: members.has, hasCode: members.hasCode };
    },
  });
  for (const { code, profile, element, text } of faults) {
    const isTold = problems.some(({ file }) => file === (own.get(profile)?.file ?? profile));
    if (!isTold) problems.push({ code, file: own.get(profile)?.file ?? profile, path: element, text });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: set };
}
