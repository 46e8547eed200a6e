import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';

/** `quotes`: a quote stands where it must not, or is never closed. */
export type CsvRecord =
  | { readonly kind: 'cells'; readonly line: number; readonly cells: readonly string[] }
  | { readonly kind: 'quotes'; readonly line: number };

/** `no-csv`: so many records have a mistake, the last of them at this line, that reading was given up. */
export type ParsedCsv =
  | { readonly kind: 'records'; readonly records: readonly CsvRecord[] }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'no-csv'; readonly line: number };

export interface CsvLimits {
  readonly recordsMax: number;
  /** After each mistake a new parser starts at the next line, which costs as much as some hundred records. */
  readonly mistakesMax: number;
}

const SLICE_BYTES = 32 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const hasEnded = (bytes: Buffer, at: number): boolean =>
  bytes[at] === LINE_FEED || (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED);

/** The line of each place in the text. Asked with places that only grow. */
function makeLines(bytes: Buffer) {
  let line = 1;
  let at = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const goTo = (end: number): void => {
    for (; at < end; at += 1) if (bytes[at] === LINE_FEED) line += 1;
  };
  return {
    goTo,
    /** Where the next record begins: after lines that are empty. */
    begin(): { readonly line: number; readonly at: number } {
      while (hasEnded(bytes, at)) goTo(bytes[at] === LINE_FEED ? at + 1 : at + 2);
      return { line, at };
    },
  };
}

type Take = (cells: readonly string[], end: number) => 'more' | 'enough';

/** Parses from one place on, in slices between which others have their turn. Says whether it came to the end. */
async function parseFrom(bytes: Buffer, from: number, take: Take): Promise<'end' | 'enough' | 'mistake'> {
  const seen = { isEnough: false };
  const parser = parse({
    bom: from === 0,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    on_record: (cells: readonly string[], { bytes: read }) => {
      seen.isEnough ||= take(cells, from + read) === 'enough';
      return null;
    },
  });
  // What went wrong is answered where it was written.
  parser.on('error', () => undefined);
  try {
    for (let at = from; at < bytes.length; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      const isLast = at + SLICE_BYTES >= bytes.length;
      const outcome = await new Promise<'written' | 'mistake'>((resolve) => {
        const done = (error?: Error | null): void =>
          resolve(error === undefined || error === null ? 'written' : 'mistake');
        if (isLast) parser.end(slice, done);
        else parser.write(slice, done);
      });
      if (outcome === 'mistake') return 'mistake';
      if (seen.isEnough) return 'enough';
      await setImmediate();
    }
    return 'end';
  } finally {
    parser.destroy();
  }
}

/**
 * RFC 4180: quoted cells may hold commas, line breaks and doubled quotes; a quote anywhere else is a mistake. Lines may
 * end with LF alone, and empty ones are passed over. A record with a mistake is named by its first line, and reading
 * goes on at the line after it: a quote that is never closed must not hide the rows behind it.
 */
export async function parseCsv(text: string, { recordsMax, mistakesMax }: CsvLimits): Promise<ParsedCsv> {
  const bytes = Buffer.from(text);
  const lines = makeLines(bytes);
  const records: CsvRecord[] = [];
  let mistakes = 0;
  for (let from = 0; from < bytes.length;) {
    const ended = await parseFrom(bytes, from, (cells, end) => {
      records.push({ kind: 'cells', line: lines.begin().line, cells });
      lines.goTo(end);
      return records.length > recordsMax ? 'enough' : 'more';
    });
    if (records.length > recordsMax) return { kind: 'too-many' };
    if (ended === 'end') break;
    const { line, at } = lines.begin();
    mistakes += 1;
    if (mistakes > mistakesMax) return { kind: 'no-csv', line };
    records.push({ kind: 'quotes', line });
    const feed = bytes.indexOf(LINE_FEED, at);
    from = feed === -1 ? bytes.length : feed + 1;
    lines.goTo(from);
  }
  return { kind: 'records', records };
}

const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
