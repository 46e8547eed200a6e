import { cut, turned, type Picture } from './picture.ts';
import type { Recognise } from './recognise.ts';
import type { Word } from './word.ts';

/** Only what consists of digits and the signs between them can be counted against its picture. */
const COUNTABLE = /^[<>*(]{0,2}[\dlIOoSB]+(?:[.,-][\dlIOoSB]+)*[)%HL]?$/;
const DIGIT = /[\dlIOoSB]/;
/** From generous to strict about what is ink: blurred digits part only when it is strict. */
const INK = [165, 130, 100, 70] as const;

interface Stroke {
  readonly x0: number;
  readonly x1: number;
  readonly top: number;
  readonly bottom: number;
}

/** The columns of ink in a word, with how far up and down each reaches. */
function strokesOf({ width, height, data }: Picture, { x0, y0, x1, y1 }: Word, ink: number): Stroke[] {
  const strokes: Stroke[] = [];
  let open = null as { x0: number; top: number; bottom: number } | null;
  const [left, right] = [Math.max(0, x0 - 1), Math.min(width, x1 + 1)];
  const [high, low] = [Math.max(0, y0 - 2), Math.min(height, y1 + 2)];
  for (let x = left; x <= right; x += 1) {
    let [top, bottom] = [Infinity, -1];
    for (let y = high; x < right && y < low; y += 1)
      if ((data[y * width + x] ?? 255) < ink) {
        top = Math.min(top, y);
        bottom = y;
      }
    if (bottom < 0) {
      if (open !== null) strokes.push({ ...open, x1: x });
      open = null;
    } else
      open = {
        x0: open?.x0 ?? x,
        top: Math.min(open?.top ?? top, top),
        bottom: Math.max(open?.bottom ?? bottom, bottom),
      };
  }
  return strokes.filter((one) => one.x1 - one.x0 > 1 && one.bottom > one.top);
}

interface Counted {
  readonly strokes: readonly Stroke[];
  readonly isDot: (one: Stroke) => boolean;
  /** Those that are no points. */
  readonly letters: number;
}

function count(picture: Picture, word: Word, ink: number): Counted | null {
  const strokes = strokesOf(picture, word, ink);
  const top = Math.min(...strokes.map((one) => one.top));
  const bottom = Math.max(...strokes.filter((one) => one.top < (top + word.y1) / 2).map((one) => one.bottom));
  const height = bottom - top;
  if (!(height > 6)) return null;
  // A point: ink of little width that does not reach above the lowest third of the digits.
  const isDot = (one: Stroke): boolean => one.top > bottom - height * 0.38 && one.x1 - one.x0 < height * 0.45;
  return { strokes, isDot, letters: strokes.filter((one) => !isDot(one)).length };
}

const lettersOf = (text: string): string[] => Array.from(text.replace(/[.,]/g, ''));
const dotsIn = (text: string): number => text.length - lettersOf(text).length;

/** The text with the points that its picture shows, where all other strokes can be counted against its letters. */
function withDots(text: string, { strokes, isDot }: Counted): string {
  const letters = lettersOf(text);
  let made = '';
  let next = 0;
  for (const stroke of strokes) {
    if (!isDot(stroke)) made += letters[next++] ?? '';
    // Between two digits; what hangs before or behind them is dirt.
    else if (DIGIT.test(letters[next - 1] ?? '') && DIGIT.test(letters[next] ?? '') && !made.endsWith('.')) made += '.';
  }
  return dotsIn(made) > dotsIn(text) ? made : text;
}

/**
 * The recogniser loses decimal points and digits, and 54 for 5.4 is worse than nothing. Points are put back where the
 * picture shows them; where it shows more strokes than letters were read, the word is looked at again by itself.
 */
export function mendNumber<W extends Word>(picture: Picture, word: W, recognise: Recognise): W {
  if (!COUNTABLE.test(word.text)) return word;
  const counts = INK.map((ink) => count(picture, word, ink));
  const letters = lettersOf(word.text).length;
  const fitting = counts.find((one) => one?.letters === letters);
  if (fitting !== undefined && fitting !== null) return { ...word, text: withDots(word.text, fitting) };
  const most = counts.reduce<Counted | null>(
    (best, one) => ((one?.letters ?? 0) > (best?.letters ?? 0) ? one : best),
    null,
  );
  if (most === null || most.letters < letters || !/^\d/.test(word.text)) return word;
  const again = recognise(turned(cut(picture, word, 14), 1.5, 0), 'numbers').map(({ text }) => text).join(''); // prettier-ignore
  return COUNTABLE.test(again) && lettersOf(again).length === most.letters
    ? { ...word, text: withDots(again, most) }
    : word;
}
