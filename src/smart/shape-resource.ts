import { mandatoryElements } from '../r4/index.ts';
import { isObject, type Resource } from './whose.ts';

const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
const ALWAYS = new Set(['resourceType', 'id', 'meta', 'implicitRules', 'language']);

export interface Shape {
  readonly elements: readonly string[] | null;
  readonly summary: 'false' | 'data' | 'count';
}

function marked(meta: unknown): unknown {
  const given = isObject(meta) ? meta : {};
  const tags = Array.isArray(given['tag']) ? (given['tag'] as unknown[]) : [];
  return { ...given, tag: [...tags, SUBSETTED] };
}

/**
 * `_elements` and `_summary` are done here and never by the EHR: what it would leave out may be what the check needs. Mandatory
 * elements stay, so that what is left is still valid.
 */
export function shapeResource(resource: Resource, { elements, summary }: Shape): Resource {
  if (elements === null && summary !== 'data') return resource;
  const mandatory = new Set(mandatoryElements(resource.resourceType));
  const isKept = (name: string): boolean => {
    const bare = name.replace(/^_/, '');
    if (summary === 'data' && bare === 'text') return false;
    return (
      elements === null ||
      ALWAYS.has(bare) ||
      mandatory.has(bare) ||
      // `value` names every spelling of the choice value[x].
      elements.some((one) => bare === one || (bare.startsWith(one) && /^[A-Z]/.test(bare.slice(one.length))))
    );
  };
  const kept = Object.fromEntries(Object.entries(resource).filter(([name]) => isKept(name)));
  return { ...kept, meta: marked(resource['meta']) } as unknown as Resource;
}
