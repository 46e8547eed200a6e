import { existsSync, readFileSync } from 'node:fs';
import type { JudgedCase } from './corpus.ts';

/** What our own engine finds; only errors are compared. */
export interface Finding {
  readonly severity: string;
  readonly rule: string;
  readonly expression: string;
  readonly text: string;
}

/** Every condition that is given must hold. Texts are regular expressions, except `guide`. */
export interface Adjudication {
  readonly guide?: string;
  readonly id?: string;
  /** Of the judge's error. */
  readonly messageId?: string;
  readonly message?: string;
  /** Of our own finding. */
  readonly rule?: string;
  readonly right: 'ours' | 'judge';
  readonly why: string;
}

export const readAdjudications = (file: string): readonly Adjudication[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Adjudication[]) : [];

const fits = (pattern: string | undefined, text: string): boolean =>
  pattern === undefined || new RegExp(pattern).test(text);

export interface Disagreement {
  readonly judged: JudgedCase;
  readonly kind: 'wrongly-accepted' | 'wrongly-refused';
  /** Our errors. */
  readonly findings: readonly Finding[];
}

/**
 * Who is right where the two differ: `ours` only when every error of the one that refuses is explained by an entry that
 * says so; otherwise the judge is.
 */
export function adjudicate(
  { judged, kind, findings }: Disagreement,
  entries: readonly Adjudication[],
): 'ours' | 'judge' {
  const candidates = entries.filter(
    ({ guide, id, right }) => right === 'ours' && (guide ?? judged.guide) === judged.guide && fits(id, judged.id),
  );
  const isExplained =
    kind === 'wrongly-accepted'
      ? judged.judge.issues.every((issue) =>
          candidates.some(
            ({ messageId, message, rule }) =>
              rule === undefined && fits(messageId, issue.messageId ?? '') && fits(message, issue.message),
          ),
        )
      : findings.every((finding) =>
          candidates.some(
            ({ messageId, message, rule }) =>
              messageId === undefined && message === undefined && fits(rule, finding.rule),
          ),
        );
  return isExplained ? 'ours' : 'judge';
}
