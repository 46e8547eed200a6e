type Pick = (below: number) => number;

/** What a change of a JSON text may put in: pieces of its grammar, right ones and wrong ones. */
const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', ' ', '\n', '\\', '\\u0041', '\u0000', 'é', '\u{1f600}'],
  ...['0', '-', '1.50', '1e3', '01', '-0', '9007199254740993', 'NaN', 'true', 'false', 'null', 'nul'],
  ...['"a":1', '"a":1,', '{}', '[]', '""', '"__proto__":1,', '"":1,', '"code":{"text":"a"},', ',"code":{}'],
];

/** Some texts of the same kind, of which each may be changed in a few places: cut, doubled, or something put in. */
export function mutateText(text: string, pick: Pick, changesMax: number): string {
  let changed = text;
  for (let n = pick(changesMax + 1); n > 0; n -= 1) {
    const at = pick(changed.length + 1);
    const length = pick(pick(2) === 0 ? 4 : 60);
    const piece = PIECES[pick(PIECES.length)] ?? '';
    switch (pick(4)) {
      case 0:
        changed = changed.slice(0, at) + changed.slice(at + length);
        break;
      case 1:
        changed = changed.slice(0, at) + changed.slice(at, at + length) + changed.slice(at);
        break;
      case 2:
        changed = changed.slice(0, at) + piece + changed.slice(at);
        break;
      default:
        changed = changed.slice(0, at) + piece + changed.slice(at + length);
    }
  }
  return changed;
}
