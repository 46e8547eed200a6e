import { describeIssue, type Issue } from '../issue.ts';
import type { RuleId } from '../rules.ts';
import type { HasCode } from './known-codes.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The bundle around the resource being checked: what its entries are called. */
export interface BundleScope {
  readonly of: Json;
  readonly typeByUrl: ReadonlyMap<string, string>;
  readonly hasRepeatedUrl: boolean;
}

/** A rule of a profile. Answers false when broken; files findings through `flag`. */
export type ProfileRule = (resource: Json, c: Context, path: string) => boolean;

/** What travels through the generated functions. Fast functions find `issues` null and build nothing. */
export interface Context {
  /** Properties seen by the fast functions: the raw text must hold as many, or a key was repeated. */
  keys: number;
  root: Json;
  resource: Json;
  bundle: BundleScope | null;
  /** Id → type of what `of` contains: built once, for a resource that has thousands of local references. */
  contained: { readonly of: Json; readonly typeById: ReadonlyMap<unknown, string> } | null;
  /** What a link in the narrative of `of` may lead to: built once, for the resource that has such links. */
  anchors: { readonly of: Json; readonly all: ReadonlySet<string> } | null;
  /** Element ids of the resource in hand; null until there is one, because there seldom is. */
  ids: Set<string> | null;
  /** Whether anything so far had an extension: most resources have none, and need not be looked through for them. */
  hasExtension: boolean;
  /** The property of the outermost resource whose items the caller has checked one by one. */
  doneKey: string | null;
  readonly issues: Issue[] | null;
  readonly issuesMax: number;
  readonly withWarnings: boolean;
  /** Whether every urn: reference in a bundle must lead to one of its entries. */
  readonly isClosed: boolean;
  readonly profileRules: readonly ProfileRule[];
  readonly hasCode: HasCode;
  /** Elements that were found sound with these settings and stay so: the same few stand in very many resources. */
  readonly lasting: WeakSet<object>;
}

const NOTHING: Json = Object.freeze({});

type Settings = Pick<Context, 'issuesMax' | 'withWarnings' | 'isClosed' | 'profileRules' | 'hasCode' | 'lasting'>;

export function newContext(
  issues: Issue[] | null,
  { issuesMax, withWarnings, isClosed, profileRules, hasCode, lasting }: Settings,
): Context {
  return {
    keys: 0,
    root: NOTHING,
    resource: NOTHING,
    bundle: null,
    contained: null,
    anchors: null,
    ids: null,
    hasExtension: false,
    doneKey: null,
    issues,
    issuesMax,
    withWarnings,
    isClosed,
    profileRules,
    hasCode,
    lasting,
  };
}

/** Files a finding, if findings are wanted, and always answers false. */
export function flag(c: Context, rule: RuleId, path: string, text: string): false {
  if (c.issues !== null) file(c, describeIssue(rule, path, text));
  return false;
}

export function file(c: Context, issue: Issue): void {
  if (c.issues === null) return;
  if (c.issues.length < c.issuesMax) c.issues.push(issue);
  else if (c.issues.length === c.issuesMax)
    c.issues.push(
      describeIssue('issues-limit', issue.expression, `Only the first ${c.issuesMax} findings are listed.`),
    );
}
