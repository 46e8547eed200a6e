import { isObject } from '../kernel/index.ts';
import { mandatoryElements, summarize, walkReferences } from '../r4/index.ts';
import type { Json, Resource } from './whose.ts';

const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
const ALWAYS = new Set(['resourceType', 'id', 'meta', 'implicitRules', 'language', 'modifierExtension']);

export interface Shape {
  readonly elements: readonly string[] | null;
  readonly summary: Summary;
}

export const SUMMARIES = ['true', 'text', 'data', 'count', 'false'] as const;
export type Summary = (typeof SUMMARIES)[number];
export const isSummary = (text: string): text is Summary => (SUMMARIES as readonly string[]).includes(text);

/** What R4 leaves open, and where one would undo the other, is refused: a summary has its own elements. */
export const isShape = ({ elements, summary }: Shape): boolean =>
  elements === null || (summary !== 'true' && summary !== 'text');

/** A `meta` that says that its resource is not the whole. */
export function markSubsetted(meta: unknown): Json {
  const given = isObject(meta) ? meta : {};
  const tags = Array.isArray(given['tag']) ? (given['tag'] as unknown[]) : [];
  const isMarked = tags.some(
    (tag) => isObject(tag) && tag['system'] === SUBSETTED.system && tag['code'] === SUBSETTED.code,
  );
  return { ...given, tag: isMarked ? tags : [...tags, SUBSETTED] };
}

function partOf(resource: Resource, { elements, summary }: Shape): Json {
  if (summary === 'true') return summarize(resource);
  const mandatory = new Set(mandatoryElements(resource.resourceType));
  const isKept = (name: string): boolean => {
    const bare = name.replace(/^_/, '');
    if (summary === 'data' && bare === 'text') return false;
    if (ALWAYS.has(bare) || mandatory.has(bare)) return true;
    if (summary === 'text') return bare === 'text';
    return (
      elements === null ||
      // `value` names every spelling of the choice value[x].
      elements.some((one) => bare === one || (bare.startsWith(one) && /^[A-Z]/.test(bare.slice(one.length))))
    );
  };
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isKept(name)));
}

const refersInside = (part: Json): boolean => walkReferences(part).some(({ reference }) => reference.startsWith('#'));

/**
 * `_elements` and `_summary` are done here and never by the EHR: what it would leave out may be what the check needs.
 * Mandatory elements stay, and what is contained where something of the rest refers to it, so that what is left is
 * still valid.
 */
export function shapeResource(resource: Resource, shape: Shape): Resource {
  if (shape.elements === null && (shape.summary === 'false' || shape.summary === 'count')) return resource;
  const part = partOf(resource, shape);
  const { contained } = resource;
  const inside = contained !== undefined && part['contained'] === undefined && refersInside(part) ? { contained } : {};
  return { ...part, ...inside, meta: markSubsetted(resource['meta']) } as unknown as Resource;
}
