import type { CodeRow, Origin } from '../mappings/index.ts';
import type { Decision, FindingCode, Translation, TranslationFinding } from './translation.ts';

/** Collects, while a document is translated, what was decided and what was found. */
export interface Notebook {
  readonly decide: (at: string, what: Decision['what'], from: string, to: string | null, origin: Origin | null) => void;
  readonly find: (code: FindingCode, at: string, what?: string | null) => void;
  readonly close: (unmapped: 'park' | 'pass-through') => Pick<Translation, 'decisions' | 'findings' | 'trouble'>;
}

const UNMAPPED: ReadonlySet<FindingCode> = new Set([
  'code.unmapped',
  'context.unmapped',
  'unit.unmapped',
  'value.unreadable',
  'resource.modified',
]);
const IMPLAUSIBLE: ReadonlySet<FindingCode> = new Set(['value.implausible', 'measurement.twice', 'alerts.disagree']);

/** Rows are frozen and few, and each is decided by again and again. */
const texts = new WeakMap<object, string>();
export function codesText(row: Pick<CodeRow, 'codings'>): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = row.codings.map(({ system, code }) => `${system}|${code}`).join(' + ');
  texts.set(row, text);
  return text;
}

const byPlace = (a: { readonly at: string }, b: { readonly at: string }): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

export function openNotebook(): Notebook {
  const decisions: Decision[] = [];
  const findings: TranslationFinding[] = [];
  return {
    decide(at, what, from, to, origin) {
      decisions.push({
        at,
        what,
        from,
        to,
        row: origin?.row ?? null,
        source: origin?.source ?? null,
        reviewer: origin?.reviewer ?? null,
      });
    },
    find(code, at, what = null) {
      findings.push({ code, at, what });
    },
    close(unmapped) {
      const has = (codes: ReadonlySet<FindingCode>): boolean => findings.some(({ code }) => codes.has(code));
      return {
        decisions,
        findings: findings.sort(byPlace),
        trouble: unmapped === 'park' && has(UNMAPPED) ? 'unmapped' : has(IMPLAUSIBLE) ? 'implausible' : null,
      };
    },
  };
}
