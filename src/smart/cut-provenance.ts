import { isObject } from '../kernel/index.ts';
import { localReference, walkReferences } from '../r4/index.ts';
import type { Served } from './served-types.ts';
import { markSubsetted } from './shape-resource.ts';
import type { Json, Resource } from './whose.ts';

const MASKED = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
};
const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

const picked = (given: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));

/** Codes alone: whoever wrote a text beside them may have written about anybody. */
const codedOf = (concept: unknown): Json[] => {
  const codings = isObject(concept) ? objects(concept['coding']) : [];
  const coding = codings
    .map((one) => picked(one, ['system', 'version', 'code']))
    .filter(({ code }) => code !== undefined);
  return coding.length === 0 ? [] : [{ coding }];
};
const manyCoded = (name: string, value: unknown): Json => {
  const coded = Array.isArray(value) ? value.flatMap(codedOf) : [];
  return coded.length === 0 ? {} : { [name]: coded };
};
const oneCoded = (name: string, value: unknown): Json => Object.fromEntries(codedOf(value).map((one) => [name, one]));

export interface Cut {
  /** Those of its targets that may be seen, as they are written. */
  readonly targets: readonly unknown[];
  /** Whose they are. */
  readonly patients: ReadonlySet<string>;
  readonly isAll: boolean;
  /** Whether what it contains tells of nobody. */
  readonly isContainedSound: boolean;
}

/**
 * A Provenance as a token may see it that sees these of its targets. Where some are left out, nobody knows of whom the
 * rest of it tells: what is left then is when, by what kind of agent, by which practitioner or organization, and codes.
 * Null: not even that can be told apart from what may not be seen.
 */
export function cutProvenance(resource: Resource, cut: Cut, served: Served, ehrBase: string): Resource | null {
  const { targets, patients } = cut;
  const isOther = ({ reference }: { readonly reference: string }): boolean => {
    const found = localReference(reference, ehrBase);
    return found?.type === 'Patient' && !patients.has(found.id);
  };
  if (cut.isAll && cut.isContainedSound && !walkReferences(resource).some(isOther)) return resource;
  const agents = objects(resource['agent']);
  // What it means without these is for their authors to say.
  if ([resource, ...agents].some(({ modifierExtension }) => modifierExtension !== undefined)) return null;

  const who = (reference: unknown): Json => {
    const found = localReference(reference, ehrBase);
    const isShown =
      found !== null && (found.type === 'Patient' ? patients.has(found.id) : served.get(found.type)?.kind === 'shared');
    return isShown && isObject(reference) ? picked(reference, ['reference', 'type']) : MASKED;
  };
  const agentOf = (agent: Json): Json => ({
    ...oneCoded('type', agent['type']),
    ...manyCoded('role', agent['role']),
    who: who(agent['who']),
    ...(agent['onBehalfOf'] === undefined ? {} : { onBehalfOf: who(agent['onBehalfOf']) }),
  });
  const meta = isObject(resource['meta'])
    ? picked(resource['meta'], ['versionId', 'lastUpdated', 'profile', 'security', 'tag'])
    : {};
  return {
    resourceType: resource.resourceType,
    id: resource.id,
    meta: markSubsetted(meta),
    ...picked(resource, ['language']),
    target: targets,
    ...picked(resource, ['occurredPeriod', 'occurredDateTime', 'recorded']),
    ...manyCoded('reason', resource['reason']),
    ...oneCoded('activity', resource['activity']),
    agent: agents.map(agentOf),
  };
}

const namesOf = ({ target }: Resource): ReadonlySet<unknown> =>
  new Set(objects(target).map(({ reference }) => reference));

/** The same Provenance, found by several of its targets: all of them together. */
export function joinTargets(one: Resource, other: Resource): Resource {
  const [names, others] = [namesOf(one), namesOf(other)];
  if ([...names].every((name) => others.has(name))) return other;
  const more = objects(other['target']).filter(({ reference }) => !names.has(reference));
  return more.length === 0 ? one : { ...one, target: [...objects(one['target']), ...more] };
}
