import { loadCompiled, type Compiled } from './compiled/load-compiled.ts';
import type { Issue } from './issue.ts';
import { PROFILES, type ProfileName } from './profiles/index.ts';
import type { Imposed, ProfileSet } from './profile-engine/make-profile-set.ts';
import { hasHl7Code } from './runtime/known-codes.ts';
import { newContext, type Context, type Json } from './runtime/context.ts';

export interface GuideOptions {
  readonly profiles: ProfileSet;
  /** Profiles that a resource must meet whatever it claims. `isOutermost`: it does not stand in a Bundle. */
  readonly imposed?: Imposed;
  /** What a reference may be followed to, to ask whether it meets a profile; all by default. */
  readonly isFollowed?: (resource: Json) => boolean;
}

/** The profiles of which all are asked of the outermost resource and none of what stands in it. */
export const onOutermost =
  (profiles: readonly string[]): Imposed =>
  (_, isOutermost) =>
    isOutermost ? profiles : [];

export interface ValidatorOptions {
  /** Profiles imposed on top of R4; none by default. */
  readonly profiles?: readonly ProfileName[];
  /** Guides whose profiles are checked where a resource claims them, and where they are imposed. */
  readonly guides?: GuideOptions;
  /** Whether warnings are looked for; by default only errors are. */
  readonly warnings?: 'report' | 'skip';
  /**
   * `closed`: every urn: reference in a bundle must lead to one of its entries. By default only what the Composition of
   * a document or the header of a message refers to must.
   */
  readonly bundles?: 'open' | 'closed';
  /** Findings beyond this number are summed up in one; 1,000 by default. */
  readonly issuesMax?: number;
}

/** What the other parts of this module need beyond the public door. */
export interface Engine {
  readonly compiled: Compiled;
  readonly fastContext: () => Context;
  readonly reportContext: (issues: Issue[]) => Context;
  readonly wantsWarnings: boolean;
}

let compiled: Compiled | undefined;

export const typeOf = (resource: unknown): string => {
  const type = typeof resource === 'object' && resource !== null ? (resource as Json)['resourceType'] : undefined;
  return typeof type === 'string' && /^[A-Za-z]{1,64}$/.test(type) ? type : 'Resource';
};

export function loadEngine(options: ValidatorOptions = {}): Engine {
  compiled ??= loadCompiled();
  const { guides } = options;
  const profileRules = [
    ...(options.profiles ?? []).flatMap((name) => PROFILES[name]),
    ...(guides === undefined ? [] : [guides.profiles.rule(guides)]),
  ];
  const settings = {
    issuesMax: options.issuesMax ?? 1_000,
    withWarnings: options.warnings === 'report',
    isClosed: options.bundles === 'closed',
    profileRules,
    hasCode: guides?.profiles.hasCode ?? hasHl7Code,
    lasting: new WeakSet(),
  };
  return {
    compiled,
    fastContext: () => newContext(null, settings),
    reportContext: (issues) => newContext(issues, settings),
    wantsWarnings: settings.withWarnings,
  };
}
