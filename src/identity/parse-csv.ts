export type CsvRecord =
  { readonly line: number; readonly cells: readonly string[] } | { readonly line: number; readonly problem: 'quotes' };

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * RFC 4180: quoted cells may hold commas, line breaks and doubled quotes; a quote anywhere else is a mistake. Lines may
 * end with LF alone, and empty ones are passed over. A record with a mistake is told by its first line, and reading
 * goes on at the next.
 */
export function* parseCsv(text: string): Generator<CsvRecord, void> {
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  let line = 1;

  /** The end of the line that `from` is in, and where the next one begins. */
  const endOfLine = (from: number): { end: number; next: number } => {
    const feed = text.indexOf('\n', from);
    if (feed === -1) return { end: text.length, next: text.length };
    return { end: text[feed - 1] === '\r' && feed > from ? feed - 1 : feed, next: feed + 1 };
  };

  while (at < text.length) {
    const first = line;
    const { end, next } = endOfLine(at);
    const plain = text.slice(at, end);
    if (!plain.includes('"')) {
      at = next;
      line += 1;
      if (plain !== '') yield { line: first, cells: plain.split(',') };
      continue;
    }
    const found = readQuoted(text, at);
    if (found === null) {
      at = next;
      line += 1;
      yield { line: first, problem: 'quotes' };
      continue;
    }
    line += text.slice(at, found.next).split('\n').length - (text[found.next - 1] === '\n' ? 1 : 0);
    at = found.next;
    yield { line: first, cells: found.cells };
  }
}

const PLAIN = /[^",\r\n]*/y;

/** One record that has quotes. Null where a quote stands where it must not, or is never closed. */
function readQuoted(text: string, from: number): { cells: string[]; next: number } | null {
  const cells: string[] = [];
  for (let at = from; ;) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 2) {
        const close = text.indexOf('"', at);
        if (close === -1) return null;
        cell += text.slice(at, close);
        at = close;
        if (text[close + 1] !== '"') break;
        cell += '"';
      }
      at += 1;
    } else {
      PLAIN.lastIndex = at;
      const [plain = ''] = PLAIN.exec(text) ?? [];
      cell = plain;
      at += plain.length;
    }
    cells.push(cell);
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    if (at >= text.length) return { cells, next: at };
    if (text[at] === '\n') return { cells, next: at + 1 };
    return text.startsWith('\r\n', at) ? { cells, next: at + 2 } : null;
  }
}

const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
