import type { JsonObject, Site } from '../json-sites.ts';
import type { ProfileRules } from '../profile-rules.ts';
import type { Random } from '../seeded-random.ts';

export interface Surroundings {
  readonly rules: ProfileRules;
  /** Codes that the guide speaks of, to be put where others stand. */
  readonly codings: readonly { readonly system: string; readonly code: string }[];
  /** Extensions that the guide defines. */
  readonly extensionUrls: readonly string[];
}

export interface Doing {
  readonly random: Random;
  readonly around: Surroundings;
  readonly resource: JsonObject;
}

export interface Mutation {
  readonly name: string;
  /** How often it is tried, against the others. */
  readonly weight: number;
  /** Where it can be done at all. */
  readonly fits: (site: Site, around: Surroundings) => boolean;
  /** Changes the resource in place. */
  readonly apply: (site: Site, doing: Doing) => void;
}
