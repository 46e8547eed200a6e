/*
 * One change to a FHIR resource, chosen by a seeded chance and guided by its profile: a defect, or something harmless.
 * What the change does to validity is for the judge to say; the names only say what was done.
 */
import { DEFECTS } from './judge/mutations/defects.ts';
import { EXTENSION_MUTATIONS } from './judge/mutations/extensions.ts';
import { FORM_MUTATIONS } from './judge/mutations/form.ts';
import { HARMLESS } from './judge/mutations/harmless.ts';
import { SLICE_MUTATIONS } from './judge/mutations/slices.ts';
import type { Mutation, Surroundings } from './judge/mutations/mutation.ts';
import { sitesOf, type JsonObject } from './judge/json-sites.ts';
import { seededRandom } from './judge/seeded-random.ts';

export type { Surroundings } from './judge/mutations/mutation.ts';

export interface Mutant {
  readonly resource: JsonObject;
  /** What was done, and where: `drop-required Patient.name`. */
  readonly kind: string;
  readonly path: string;
}

export const MUTATIONS: readonly Mutation[] = [
  ...DEFECTS,
  ...SLICE_MUTATIONS,
  ...EXTENSION_MUTATIONS,
  ...FORM_MUTATIONS,
  ...HARMLESS,
];

const TRIES = 40;

/** Weighted, so that what profiles are about is tried more often than what every resource must obey. */
function pickMutation(share: number): Mutation | undefined {
  let left = share * MUTATIONS.reduce((sum, { weight }) => sum + weight, 0);
  return MUTATIONS.find(({ weight }) => (left -= weight) < 0);
}

/** The same words give the same mutant. Null where nothing that was tried changes the resource. */
export function mutateResource(resource: JsonObject, around: Surroundings, seed: string): Mutant | null {
  const random = seededRandom(seed);
  const before = JSON.stringify(resource);
  for (let tried = 0; tried < TRIES; tried += 1) {
    const mutation = pickMutation(random.next());
    if (mutation === undefined) continue;
    const copy = structuredClone(resource);
    const sites = sitesOf(copy).filter((site) => mutation.fits(site, around));
    const site = random.pick(sites);
    if (site === undefined) continue;
    mutation.apply(site, { random, around, resource: copy });
    if (JSON.stringify(copy) !== before) return { resource: copy, kind: mutation.name, path: site.path };
  }
  return null;
}
