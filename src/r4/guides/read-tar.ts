/** One file of an archive, or what stands in the way of reading on. */
export type TarItem =
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array }
  /** A file that was not asked for: its name alone. */
  | { readonly kind: 'passed'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly code: string; readonly text: string };

export interface TarLimits {
  readonly fileBytesMax: number;
  readonly filesMax: number;
}

const BLOCK = 512;
/** Long names and pax records are small; a larger one is an attack. */
const EXTRA_BYTES_MAX = 64 * 1024;

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

const latin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
const untilNul = (text: string): string => text.replace(/\0.*$/s, '');

/** A number of a header: octal digits, or, where the first bit is set, 95 bits of binary. NaN where it is neither. */
function readNumber(field: Uint8Array): number {
  const first = field[0] ?? 0;
  if ((first & 0x80) === 0) {
    const text = latin(field)
      .replace(/[\0 ]+$/, '')
      .replace(/^ +/, '');
    return /^[0-7]*$/.test(text) ? Number.parseInt(text === '' ? '0' : text, 8) : Number.NaN;
  }
  // The second bit is the sign; no file has a negative size.
  if ((first & 0x40) !== 0) return Number.NaN;
  let value = first & 0x3f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

function sumOf(block: Uint8Array): number {
  let sum = 0;
  // The checksum is taken as if its own field held blanks.
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum;
}

function readHeader(block: Uint8Array): Header | undefined {
  if (readNumber(block.subarray(148, 156)) !== sumOf(block)) return undefined;
  const size = readNumber(block.subarray(124, 136));
  if (Number.isNaN(size)) return undefined;
  const prefix = latin(block.subarray(257, 262)) === 'ustar' ? untilNul(utf8(block.subarray(345, 500))) : '';
  const name = untilNul(utf8(block.subarray(0, 100)));
  const type = String.fromCharCode(block[156] ?? 0).replace('\0', '0');
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, type };
}

/** `length key=value` lines; only the path and the size matter here. */
function readPax(bytes: Uint8Array): { path?: string; size?: number } | undefined {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(32, at);
    const length = blank < 0 ? Number.NaN : Number(latin(bytes.subarray(at, blank)));
    if (!Number.isSafeInteger(length) || length < blank - at + 3 || at + length > bytes.length) return undefined;
    const record = utf8(bytes.subarray(blank + 1, at + length - 1));
    const equals = record.indexOf('=');
    if (equals < 0) return undefined;
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') found.path = value;
    if (key === 'size') found.size = Number(value);
    at += length;
  }
  return found.size !== undefined && !Number.isSafeInteger(found.size) ? undefined : found;
}

/** Takes bytes off a stream of chunks, in the amounts that the reader asks for. */
function makeIntake(chunks: AsyncIterable<Uint8Array>): {
  take: (count: number) => Promise<Uint8Array | undefined>;
  drop: (count: number) => Promise<boolean>;
} {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  const more = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done === true) return false;
    rest = next.value;
    return true;
  };
  return {
    async take(count) {
      if (rest.length >= count) {
        const taken = rest.subarray(0, count);
        rest = rest.subarray(count);
        return taken;
      }
      const parts: Uint8Array[] = [];
      for (let missing = count; missing > 0;) {
        if (rest.length === 0 && !(await more())) return undefined;
        const part = rest.subarray(0, missing);
        parts.push(part);
        rest = rest.subarray(part.length);
        missing -= part.length;
      }
      return Buffer.concat(parts);
    },
    async drop(count) {
      for (let missing = count; missing > 0;) {
        if (rest.length === 0 && !(await more())) return false;
        const length = Math.min(rest.length, missing);
        rest = rest.subarray(length);
        missing -= length;
      }
      return true;
    },
  };
}

/** A name that leads out of the archive, or that systems read differently. */
export const isUnsafeName = (name: string): boolean =>
  name === '' || /^[/\\]|^[A-Za-z]:|[\\\0]/.test(name) || name.split('/').includes('..');

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/**
 * The files of a tar archive (ustar, with the long names of GNU and pax), in its order. Bytes are kept only of files that
 * `isWanted`. After an item of the kind `refused` whose name is empty nothing follows.
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
  limits: TarLimits,
): AsyncGenerator<TarItem, undefined> {
  const intake = makeIntake(chunks);
  const stop = (code: string, text: string): TarItem => ({ kind: 'refused', name: '', code, text });
  let longName: string | undefined;
  let pax: { path?: string; size?: number } = {};
  for (let count = 0; ;) {
    const block = await intake.take(BLOCK);
    if (block === undefined) return void (yield stop('archive-truncated', 'The archive ends before its end mark'));
    if (block.every((byte) => byte === 0)) return;
    const header = readHeader(block);
    if (header === undefined) return void (yield stop('archive-malformed', 'A header of the archive cannot be read'));
    const { type } = header;
    const size = pax.size ?? header.size;
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      if (size > EXTRA_BYTES_MAX) return void (yield stop('archive-malformed', 'A name in the archive is too long'));
      const bytes = await intake.take(size);
      if (bytes === undefined || !(await intake.drop(padding(size))))
        return void (yield stop('archive-truncated', 'The archive ends within a name'));
      if (type === 'L') longName = untilNul(utf8(bytes));
      if (type === 'x') {
        const records = readPax(bytes);
        if (records === undefined) return void (yield stop('archive-malformed', 'A pax record cannot be read'));
        pax = records;
      }
      continue;
    }
    const name = (pax.path ?? longName ?? header.name).replace(/^(?:\.\/)+/, '');
    longName = undefined;
    pax = {};
    if (type === '5') {
      if (!(await intake.drop(size + padding(size)))) return void (yield stop('archive-truncated', name));
      continue;
    }
    if (++count > limits.filesMax)
      return void (yield stop('archive-files-too-many', `The archive holds more than ${limits.filesMax} files`));
    const isFile = type === '0' || type === '7';
    if (!isFile)
      yield { kind: 'refused', name, code: 'archive-entry-kind', text: 'Only files and folders are taken, no links' };
    if (isUnsafeName(name))
      yield { kind: 'refused', name, code: 'archive-path-unsafe', text: 'The path leads out of the package' };
    const isTaken = isFile && !isUnsafeName(name) && isWanted(name);
    if (isTaken && size > limits.fileBytesMax)
      yield { kind: 'refused', name, code: 'file-too-large', text: `It is larger than ${limits.fileBytesMax} bytes` };
    if (!isTaken || size > limits.fileBytesMax) {
      if (!(await intake.drop(size + padding(size))))
        return void (yield stop('archive-truncated', `The archive ends within ${name}`));
      if (isFile && !isTaken && !isUnsafeName(name)) yield { kind: 'passed', name };
      continue;
    }
    const bytes = await intake.take(size);
    if (bytes === undefined || !(await intake.drop(padding(size))))
      return void (yield stop('archive-truncated', `The archive ends within ${name}`));
    yield { kind: 'file', name, bytes };
  }
}
