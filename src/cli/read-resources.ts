import { createReadStream } from 'node:fs';

/** One resource to judge, or the reason why there is none. `line` counts from 1 in NDJSON and is null in JSON. */
export type Piece =
  | { readonly file: string; readonly line: number | null; readonly bytes: Buffer }
  | { readonly file: string; readonly line: number | null; readonly problem: string };

const LINE_FEED = 10;

/**
 * Above this a text that does not declare itself NDJSON is refused; NDJSON is read line by line, however long the file.
 */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 32 || byte === 9 || byte === 13 || byte === 10);

async function* numberLines(file: string, lines: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Piece> {
  let line = 0;
  for await (const bytes of lines) {
    line++;
    if (!isBlank(bytes)) yield { file, line, bytes };
  }
}

/** Whether a text is NDJSON though its name does not say so: its first line is a whole object, and more follows. */
function isNdjson(bytes: Buffer): boolean {
  const end = bytes.indexOf(LINE_FEED);
  if (end === -1 || isBlank(bytes.subarray(end))) return false;
  try {
    const first: unknown = JSON.parse(bytes.subarray(0, end).toString('utf8'));
    return typeof first === 'object' && first !== null;
  } catch {
    return false;
  }
}

async function* chunksOf(file: string, stdin: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  const from = file === '-' ? stdin : createReadStream(file);
  for await (const chunk of from) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function* readWhole(file: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > WHOLE_BYTES_MAX) {
      yield {
        file,
        line: null,
        problem: `is larger than ${WHOLE_BYTES_MAX} bytes; NDJSON has no such limit when its name ends in .ndjson`,
      };
      return;
    }
  }
  const bytes = Buffer.concat(parts);
  if (!isNdjson(bytes)) {
    yield { file, line: null, bytes };
    return;
  }
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield bytes;
    await Promise.resolve();
  };
  yield* numberLines(file, splitLines(lines()));
}

/** The resources of one file, or of standard input for `-`. A file that cannot be read gives one problem. */
export async function* readResources(file: string, stdin: NodeJS.ReadableStream): AsyncGenerator<Piece> {
  const chunks = chunksOf(file, stdin);
  try {
    yield* /\.(?:ndjson|jsonl)$/i.test(file) ? numberLines(file, splitLines(chunks)) : readWhole(file, chunks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    yield { file, line: null, problem: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}
