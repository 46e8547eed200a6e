import { PANEL_NAMES, PANELS, type Panel } from './biomarkers.ts';
import { makeNames } from './find-name.ts';
import { readRest } from './read-rest.ts';
import { findName, isTestName, readRow, type NameFound, type Result } from './read-row.ts';
import type { Cell, Line, Word } from './word.ts';

export interface Row extends Result {
  /** The panel whose heading it stands under, else the one that its biomarker belongs to. */
  readonly panel: Panel;
}

const panelNames = makeNames(PANEL_NAMES);

const COLUMNS: readonly (readonly [name: string, text: RegExp])[] = [
  ['previous', /^(previous|prior|last|prev)\b/i],
  ['name', /^(tests?|component|analyte|parameter|investigation|examination)\b/i],
  ['value', /^(results?|value|your result|in range|current)\b/i],
  ['flag', /^(flag|abn|abnormal|status)\b/i],
  ['unit', /^units?\b/i],
  ['range', /^(reference|ref|range|normal|biological)\b/i],
];
type Column = { readonly name: string; readonly x0: number; readonly x1: number };

/** The columns that a line of a table's head names; none where it is no such line. */
function columnsOf({ cells }: Line): Column[] {
  const columns = cells.flatMap(({ text, x0, x1 }): Column[] => {
    const found = COLUMNS.find(([, pattern]) => pattern.test(text));
    return found === undefined ? [] : [{ name: found[0], x0, x1 }];
  });
  return columns.length >= 3 ? columns : [];
}

/** Whether a word stands under the head of another visit's results. */
function isPrevious({ x0, x1 }: Word, columns: readonly Column[]): boolean {
  const apart = (one: Column): number => Math.max(0, one.x0 - x1, x0 - one.x1) + Math.abs(one.x0 - x0) / 1000;
  const [nearest] = [...columns].sort((a, b) => apart(a) - apart(b));
  return nearest?.name === 'previous';
}

interface Heading {
  readonly panel: Panel;
  readonly x0: number;
}

/** The last heading above in the same column of the page, else the last at all. */
function headingOver(headings: readonly Heading[], x0: number, pageWidth: number): Heading | null {
  return headings.findLast((one) => Math.abs(one.x0 - x0) < pageWidth * 0.12) ?? headings.at(-1) ?? null;
}

function headingsIn(line: Line): Heading[] {
  return line.cells.flatMap(({ text, x0 }: Cell): Heading[] => {
    const [panel, other] = panelNames.find(text, line.origin);
    return panel === undefined || other !== undefined ? [] : [{ panel, x0 }];
  });
}

/** Where a row ends at the latest: at a cell behind its value that names another test, or has nothing of a result. */
function endOfRow(line: Line, words: readonly Word[], from: number): number {
  for (const cell of line.cells) {
    const at = words.indexOf(cell.words[0] as Word);
    if (at < from) continue;
    const texts = cell.words.map(({ text }) => text);
    const isOther = /[a-z]{3}/i.test(cell.text) && !cell.text.includes('/') && readRest(texts, line.origin, []).strangers.length === texts.length; // prettier-ignore
    if (isOther || isTestName(cell.text, line.origin)) return at;
  }
  return words.length;
}

/** The results of one line: each begins at a cell, and ends where the next begins. */
function rowsIn(line: Line, words: readonly Word[], headings: readonly Heading[]): Row[] {
  const starts = new Set(line.cells.map(({ words: [first] }) => first));
  const texts = words.map(({ text }) => text);
  const found: { at: number; name: NameFound; heading: Heading | null }[] = [];
  let from = 0;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    // Dirt before a name makes it begin inside its cell.
    const isStart =
      starts.has(word) || (i > 0 && /^[|'"~*•.:;_-]+$/.test(texts[i - 1] ?? '') && starts.has(words[i - 1]));
    if (word === undefined || i < from || !isStart) continue;
    const heading = headingOver(headings, word.x0, line.pageWidth);
    const name = findName(texts.slice(i), line.origin, heading?.panel.specimen ?? null);
    if (name === null) continue;
    found.push({ at: i, name, heading });
    from = i + name.restAt;
  }
  return found.flatMap(({ at, name, heading }, n): Row[] => {
    const end = Math.min(found[n + 1]?.at ?? words.length, endOfRow(line, words, at + name.restAt));
    const result = readRow(name, texts.slice(at, end), line.origin);
    const panel = heading?.panel ?? PANELS.get(result?.biomarker.panel ?? '');
    return result === null || panel === undefined ? [] : [{ ...result, panel }];
  });
}

/** All results of a document, in its order. */
export function findRows(lines: readonly Line[]): Row[] {
  let columns: readonly Column[] = [];
  let headings: readonly Heading[] = [];
  const rows: Row[] = [];
  for (const line of lines) {
    const head = columnsOf(line);
    if (head.length > 0) {
      columns = head;
      continue;
    }
    const words = columns.length === 0 ? line.words : line.words.filter((word) => !isPrevious(word, columns));
    const here = rowsIn(line, words, headings);
    rows.push(...here);
    if (here.length === 0) headings = [...headings, ...headingsIn(line)];
  }
  return rows;
}
