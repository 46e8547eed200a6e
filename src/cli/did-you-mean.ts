/** How many letters must be inserted, dropped, replaced or swapped to make one word of the other. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  const first = rows[0] ?? [];
  for (let j = 0; j <= b.length; j += 1) first[j] = j;
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) best = Math.min(best, at(i - 2, j - 2) + 1);
      (rows[i] ?? [])[j] = best;
    }
  return at(a.length, b.length);
}

/** Longer words are no slips of known ones, and are not worth the time. */
const WORD_MAX = 40;

/** The known word that was probably meant; null where none is near. */
export function nearestWord(given: string, known: readonly string[]): string | null {
  if (given.length > WORD_MAX) return null;
  const near = known
    .map((word) => ({ word, far: word.startsWith(given) && given.length > 1 ? 0.5 : distance(given, word) }))
    .filter(({ word, far }) => far <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.far - b.far);
  return near[0]?.word ?? null;
}

/** A sentence to put behind an error, with a space before it; empty where nothing is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known);
  return nearest === null ? '' : ` Did you mean ${nearest}?`;
}
