import type { CodeRow, Origin } from '../mappings/index.ts';
import type { Decision, FindingCode, Translation, TranslationFinding, Trouble, UnmappedPolicy } from './translation.ts';

/** Collects, while a document is translated, what was decided and what was found. */
export interface Notebook {
  readonly decide: (at: string, what: Decision['what'], from: string, to: string | null, origin: Origin | null) => void;
  readonly find: (code: FindingCode, at: string, what?: string | null) => void;
  /** Where the notebook is open now, for `heldSince`. */
  readonly mark: () => number;
  /**
   * Why what was built since the mark must wait by itself; null where it may go, or where the whole document waits for
   * it. What is held no longer stops the document.
   */
  readonly heldSince: (mark: number) => Trouble | null;
  readonly close: () => Pick<Translation, 'decisions' | 'findings' | 'trouble'>;
}

const UNMAPPED: ReadonlySet<FindingCode> = new Set([
  'code.unmapped',
  'context.unmapped',
  'unit.unmapped',
  'value.unreadable',
  'resource.modified',
]);
const IMPLAUSIBLE: ReadonlySet<FindingCode> = new Set([
  'value.implausible',
  'time.implausible',
  'time.before-birth',
  'measurement.twice',
  'values.contradict',
  'alerts.disagree',
]);
/** Not one entry waits for these but its document, whatever becomes of codes that nobody has mapped. */
const STOPS_DOCUMENT: ReadonlySet<FindingCode> = new Set(['code.disagrees', 'code.standard']);

/** Rows are frozen and few, and each is decided by again and again. */
const texts = new WeakMap<object, string>();
export function codesText(row: Pick<CodeRow, 'codings'>): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = row.codings.map(({ system, code }) => `${system}|${code}`).join(' + ');
  texts.set(row, text);
  return text;
}

const byPlace = (a: { readonly at: string }, b: { readonly at: string }): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : 0;

function troubleIn(findings: readonly TranslationFinding[], unmapped: UnmappedPolicy): Trouble | null {
  const has = (codes: ReadonlySet<FindingCode>): boolean => findings.some(({ code }) => codes.has(code));
  if (findings.some(({ code }) => code === 'code.disagrees')) return 'implausible';
  if (findings.some(({ code }) => code === 'code.standard')) return 'unmapped';
  if (unmapped !== 'pass-through' && has(UNMAPPED)) return 'unmapped';
  return has(IMPLAUSIBLE) ? 'implausible' : null;
}

/** `decisions`: whether they are written down. */
export function openNotebook(
  unmapped: UnmappedPolicy,
  decided: 'written-down' | 'left-out' = 'written-down',
): Notebook {
  const held = new Set<TranslationFinding>();
  const decisions: Decision[] = [];
  const findings: TranslationFinding[] = [];
  return {
    decide(at, what, from, to, origin) {
      if (decided === 'left-out') return;
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
    mark: () => findings.length,
    heldSince(mark) {
      if (unmapped === 'park' || findings.length === mark) return null;
      const since = findings.slice(mark);
      if (since.some(({ code }) => STOPS_DOCUMENT.has(code))) return null;
      const why = troubleIn(since, unmapped);
      if (why !== null) for (const one of since) held.add(one);
      return why;
    },
    close: () => ({
      trouble: troubleIn(
        findings.filter((one) => !held.has(one)),
        unmapped,
      ),
      decisions,
      findings: findings.sort(byPlace),
    }),
  };
}
