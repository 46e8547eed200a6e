/**
 * One thing that is wrong with a guide. `code` is stable and in kebab-case, `file` names the file of the package (or the
 * canonical address where there is no file), `path` the place in it, and `text` tells a person why it is refused.
 */
export interface GuideProblem {
  readonly code: string;
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** Every problem at once, so that a guide can be mended in one go. */
export type GuideResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly GuideProblem[] };

/** A canonical address without the version that may follow it. */
export const withoutVersion = (canonical: string): string => canonical.replace(/\|.*$/s, '');

/** R4 is 4.0.x; 4.1 and 4.3 are other releases. */
export const isR4Version = (version: string): boolean => /^4\.0(?:\.\d+(?:-[\w.]+)?)?$/.test(version);
