import { mutateResource, type Surroundings } from '../mutate-resources.ts';
import { SEED, type CorpusCase } from './corpus.ts';
import { at, isObject, sitesOf, textOf, type Json, type JsonObject } from './json-sites.ts';
import { readRules } from './profile-rules.ts';
import type { GuidePackage } from './read-package.ts';

/** A resource that becomes a case, and from which mutants are made. */
export interface Source {
  readonly id: string;
  readonly resource: JsonObject;
  readonly profiles: readonly string[];
  /** A source that is meant to be refused is a case, but no mutants are made of it. */
  readonly use?: 'as-is';
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const withoutVersion = (canonical: string): string => canonical.replace(/\|.*$/, '');

export const profilesOf = (resource: JsonObject): readonly string[] =>
  listOf(at(resource['meta'], 'profile')).map((url) => withoutVersion(textOf(url)));

/** Every pair of system and code that the guide's value sets, code systems and patterns name. */
function codingsOf(definitions: readonly JsonObject[]): Surroundings['codings'] {
  const found = new Map<string, { system: string; code: string }>();
  const add = (system: string, code: string): void => {
    if (system !== '' && code !== '') found.set(`${system} ${code}`, { system, code });
  };
  for (const one of definitions) {
    if (one['resourceType'] === 'CodeSystem')
      for (const concept of listOf(one['concept'])) add(textOf(one['url']), textOf(at(concept, 'code')));
    if (one['resourceType'] === 'ValueSet')
      for (const include of listOf(at(one['compose'], 'include')))
        for (const concept of listOf(at(include, 'concept')))
          add(textOf(at(include, 'system')), textOf(at(concept, 'code')));
    if (one['resourceType'] === 'StructureDefinition')
      for (const site of sitesOf(one))
        if (isObject(site.value) && /pattern|fixed/.test(site.path))
          add(textOf(site.value['system']), textOf(site.value['code']));
  }
  return [...found.values()];
}

/** What mutations of a guide's resources are guided by; profiles need their snapshots. */
export function makeSurroundings(
  definitions: readonly JsonObject[],
): (profiles: readonly string[], resource: JsonObject) => Surroundings {
  const structures = definitions.filter((one) => one['resourceType'] === 'StructureDefinition');
  const codings = codingsOf(definitions);
  const extensionUrls = structures
    .filter((one) => one['type'] === 'Extension' && one['derivation'] === 'constraint')
    .map((one) => textOf(one['url']));
  const cache = new Map<string, Surroundings>();
  return (profiles, resource) => {
    const isBundle = resource['resourceType'] === 'Bundle';
    const key = isBundle ? 'Bundle' : profiles.join(' ');
    const known = cache.get(key);
    if (known !== undefined) return known;
    // Of a Bundle every profile of the guide may judge some entry.
    const used = isBundle ? structures : structures.filter((one) => profiles.includes(textOf(one['url'])));
    const made = { rules: readRules(used), codings, extensionUrls };
    cache.set(key, made);
    return made;
  };
}

/** The published examples that name a profile of the guide. */
export function exampleSources({ definitions, examples }: GuidePackage): readonly Source[] {
  const own = new Set(
    definitions.filter((one) => one['resourceType'] === 'StructureDefinition').map((one) => textOf(one['url'])),
  );
  return examples.flatMap((resource) => {
    const profiles = profilesOf(resource);
    const id = `${textOf(resource['resourceType'])}/${textOf(resource['id'])}`;
    return profiles.some((url) => own.has(url)) ? [{ id, resource, profiles }] : [];
  });
}

/** The entries of Bundles as resources of their own, where they name a profile. */
export function entrySources(sources: readonly Source[]): readonly Source[] {
  return sources.flatMap(({ id, resource }) =>
    listOf(resource['resourceType'] === 'Bundle' ? resource['entry'] : []).flatMap((entry, index) => {
      const inner = at(entry, 'resource');
      if (!isObject(inner)) return [];
      const profiles = profilesOf(inner);
      const type = textOf(inner['resourceType']);
      return profiles.length === 0 ? [] : [{ id: `${id}/entry-${index}-${type}`, resource: inner, profiles }];
    }),
  );
}

export interface CaseCounts {
  readonly perProfile: number;
  /** Whole Bundles are slow to judge. */
  readonly perBundle: number;
}

/** The sources themselves, and mutants of them: the same number for every profile, however many examples it has. */
export function makeCases(
  guide: string,
  sources: readonly Source[],
  surroundings: ReturnType<typeof makeSurroundings>,
  { perProfile, perBundle }: CaseCounts,
): readonly CorpusCase[] {
  const cases: CorpusCase[] = sources.map(({ id, resource, profiles }) => ({
    id: `example/${id}`,
    guide,
    profiles,
    resource,
  }));
  const seen = new Set(cases.map(({ profiles, resource }) => JSON.stringify([profiles, resource])));
  const sound = sources.filter(({ use }) => use === undefined);
  const byProfile = Map.groupBy(sound, ({ profiles }) => profiles.join(' '));
  for (const group of byProfile.values()) {
    const isBundle = group[0]?.resource['resourceType'] === 'Bundle';
    const wanted = isBundle ? perBundle * group.length : perProfile;
    for (let number = 0; number < wanted; number += 1) {
      const source = group[number % group.length];
      if (source === undefined) continue;
      const { id, resource, profiles } = source;
      const mutant = mutateResource(resource, surroundings(profiles, resource), `${SEED} ${guide} ${id} ${number}`);
      if (mutant === null) continue;
      const content = JSON.stringify([profiles, mutant.resource]);
      if (seen.has(content)) continue;
      seen.add(content);
      cases.push({
        id: `mutant/${id}/${number}-${mutant.kind}@${mutant.path}`,
        guide,
        profiles,
        resource: mutant.resource,
      });
    }
  }
  return cases;
}
