/** A name as it is looked up: lower case, anything but letters, digits, `%` and `#` as one blank. */
export const keyOfName = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9%#]+/g, ' ')
    .trim();

/** Letters that a reading machine takes for one another become one; blanks, which it loses and invents, go. */
export const foldedOf = (key: string): string =>
  key
    .replace(/rn/g, 'm')
    .replace(/[1i|!]/g, 'l')
    .replace(/0/g, 'o')
    .replace(/5/g, 's')
    .replace(/8/g, 'b')
    .replace(/ /g, '');

/** What is meant by a letter that stands where only a digit can. */
const AS_DIGIT: Readonly<Record<string, string>> = {
  O: '0',
  o: '0',
  Q: '0',
  D: '0',
  l: '1',
  I: '1',
  '|': '1',
  '!': '1',
  i: '1',
  S: '5',
  s: '5',
  B: '8',
  Z: '2',
};
export const withDigits = (text: string): string =>
  text.replace(/[OoQDlI|!iSsBZ]/g, (letter) => AS_DIGIT[letter] ?? letter);

/** How many letters must change, or `limit` + 1 where it is more than that. */
export function distanceOf(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1)
      row.push(
        Math.min((before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    if (Math.min(...row) > limit) return limit + 1;
    before = row;
  }
  return before[b.length] ?? limit + 1;
}
