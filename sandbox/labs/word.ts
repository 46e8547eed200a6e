import type { Origin } from './find-name.ts';

/** A word and where it stands on its page, in any unit that is the same for the whole page. */
export interface Word {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface PageOfWords {
  readonly origin: Origin;
  readonly width: number;
  readonly words: readonly Word[];
}

/** Words without a wide gap between them. */
export interface Cell {
  readonly words: readonly Word[];
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
}

export interface Line {
  readonly page: number;
  readonly origin: Origin;
  readonly pageWidth: number;
  readonly y: number;
  readonly height: number;
  readonly cells: readonly Cell[];
  readonly words: readonly Word[];
}

const middleOf = ({ y0, y1 }: Word): number => (y0 + y1) / 2;
const heightOf = ({ y0, y1 }: Word): number => y1 - y0;
const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * How wide a gap parts two cells, in heights of a line: of the font where words are printed, of the ink where they are
 * scanned.
 */
const GAP: Readonly<Record<Origin, number>> = { printed: 0.9, scanned: 1.5 };

function cellsOf(words: readonly Word[], gap: number): Cell[] {
  const cells: Word[][] = [];
  for (const word of words) {
    const last = cells.at(-1)?.at(-1);
    if (last !== undefined && word.x0 - last.x1 < gap) cells.at(-1)?.push(word);
    else cells.push([word]);
  }
  return cells.map((one) => ({ words: one, text: textOf(one), x0: one[0]?.x0 ?? 0, x1: one.at(-1)?.x1 ?? 0 }));
}

/** Dots that lead from one word to another part them. */
function partedAtLeaders(word: Word): Word[] {
  if (!/[.·…_]{3,}/.test(word.text)) return [word];
  const share = (word.x1 - word.x0) / word.text.length;
  return [...word.text.matchAll(/(?:(?![.·…_]{3,}).)+/g)].flatMap(({ 0: text, index }) => {
    const kept = text.replace(/^[.·…_]+/, '');
    const from = index + text.length - kept.length;
    return kept === ''
      ? []
      : [{ ...word, text: kept, x0: word.x0 + from * share, x1: word.x0 + (from + kept.length) * share }];
  });
}

/** The lines of a page from top to bottom: words whose middles are nearer than half their height. */
export function linesOf({ words: given, origin, width }: PageOfWords, page: number): Line[] {
  const words = given.flatMap(partedAtLeaders);
  const usual = median(words.map(heightOf));
  const sorted = [...words].sort((a, b) => middleOf(a) - middleOf(b));
  const lines: Word[][] = [];
  for (const word of sorted) {
    const line = lines.at(-1);
    const at = line === undefined ? 0 : line.reduce((sum, one) => sum + middleOf(one), 0) / line.length;
    if (
      line !== undefined &&
      Math.abs(middleOf(word) - at) < Math.max(usual, Math.min(heightOf(word), usual * 2)) * 0.5
    )
      line.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => {
    const inOrder = line.sort((a, b) => a.x0 - b.x0);
    const height = median(inOrder.map(heightOf)) || usual;
    const cells = cellsOf(inOrder, Math.max(height, usual * 0.8) * GAP[origin]);
    const y = inOrder.reduce((sum, one) => sum + middleOf(one), 0) / inOrder.length;
    return { page, origin, pageWidth: width, y, height, cells, words: inOrder };
  });
}
