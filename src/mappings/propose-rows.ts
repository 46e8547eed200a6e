import type { ListedRow } from './list-rows.ts';
import { normaliseName, normaliseUnit } from './normalise.ts';
import { LOINC, UCUM } from './systems.ts';

/** A code that a word of the source might become. Nobody has reviewed it for that word. */
export interface Proposal {
  readonly system: string;
  readonly code: string;
  readonly display: string | null;
  /** The row that led to it. */
  readonly row: string;
}

const PROPOSALS_MAX = 3;
/** Less is alike by chance. */
const LIKENESS_MIN = 0.4;

/** Said with almost every test, and telling none from another. */
const EMPTY_WORDS = new Set(['in', 'of', 'by', 'or', 'and', 'the', 'loinc', 'mass', 'volume', 'level', 'test']);
const wordsOf = (text: string): Set<string> =>
  new Set(
    normaliseName(text.replace(/_/g, ' '))
      .split(' ')
      .filter((word) => word !== '' && !EMPTY_WORDS.has(word)),
  );

/** Which share of the words of both is common to both. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}

interface Known {
  readonly row: ListedRow;
  readonly code: ReadonlySet<string>;
  readonly display: ReadonlySet<string>;
}

function best(scored: readonly { readonly row: ListedRow; readonly score: number }[]): Proposal[] {
  const sorted = scored.filter(({ score }) => score >= LIKENESS_MIN).sort((a, b) => b.score - a.score);
  const targets = new Map<string, Proposal>();
  for (const { row } of sorted)
    if (!targets.has(row.target))
      targets.set(row.target, { system: row.system, code: row.target, display: row.display, row: row.row });
  return [...targets.values()].slice(0, PROPOSALS_MAX);
}

/** The same letters, whatever their case and order of writing: `MMOL / L` is like `mmol/L`. */
const lettersOf = (unit: string): string =>
  normaliseUnit(unit)
    .toLowerCase()
    .replace(/[^a-z0-9%]/g, '');

/**
 * Looks for what a word that nobody has mapped might be: by the words of LOINC's display texts and of the names that
 * are mapped already, and units by their letters.
 */
export function makeProposeRows(rows: readonly ListedRow[]): (kind: string, what: string) => readonly Proposal[] {
  const known: Known[] = rows
    .filter(({ system, file }) => system === LOINC && file !== 'plausibility.json')
    .map((row) => ({ row, code: wordsOf(row.code), display: wordsOf(row.display ?? '') }));
  const units = rows.filter(({ system }) => system === UCUM).map((row) => ({ row, letters: lettersOf(row.code) }));
  return (kind, what) => {
    if (kind === 'unit') {
      const letters = lettersOf(what.slice(what.lastIndexOf(' in ') < 0 ? 0 : what.lastIndexOf(' in ') + 4));
      return letters === '' ? [] : best(units.map((one) => ({ ...one, score: one.letters === letters ? 1 : 0 })));
    }
    if (kind !== 'code') return [];
    const asked = wordsOf(what);
    return best(
      known.map(({ row, code, display }) => ({
        row,
        score: Math.max(likeness(asked, code), likeness(asked, display)),
      })),
    );
  };
}
