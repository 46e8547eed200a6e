import type { ProfileSet } from '../r4/index.ts';

type Profile = ProfileSet['profiles'][number];

const BASE = 'http://hl7.org/fhir/StructureDefinition/';
const NEARBY_MAX = 5;

const lastOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1).toLowerCase();
const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));

/** How alike two names are, from 0 to 1: the share of neighbouring letters that both have. */
function likeness(a: string, b: string): number {
  const [x, y] = [pairsOf(a), pairsOf(b)];
  const both = [...x].filter((pair) => y.has(pair)).length;
  return x.size + y.size === 0 ? 0 : (2 * both) / (x.size + y.size);
}

const nameOf = ({ url, version }: Profile): string => (version === null ? url : `${url}|${version}`);

/** The profiles that are loaded for a type. */
export const profilesFor = (type: string, set: ProfileSet | null): readonly Profile[] =>
  (set?.profiles ?? []).filter((one) => one.type === type);

export const findProfile = (canonical: string, set: ProfileSet | null): Profile | undefined => set?.find(canonical);

/** R4's own definition of the type, which everything is judged by. */
export const isBaseOf = (canonical: string, type: string): boolean =>
  canonical.replace(/\|4\.0(\.\d+)?$/, '') === BASE + type;

/** Says that a profile is not loaded, and names those that may have been meant: of its type, the most alike first. */
export function describeMissing(canonical: string, type: string, set: ProfileSet | null): string {
  const [url = ''] = canonical.split('|');
  const nearness = (one: Profile): number => (one.url === url ? 2 : likeness(lastOf(one.url), lastOf(url)));
  const nearby = [...profilesFor(type, set)]
    .sort((a, b) => nearness(b) - nearness(a))
    .slice(0, NEARBY_MAX)
    .map(nameOf);
  const known = nearby.length === 0 ? `no profile of ${type} is` : `of ${type} there are ${nearby.join(', ')}`;
  return `${canonical} is not loaded; ${known}${nearby.length === 0 ? '' : ', the most alike first'}`;
}
