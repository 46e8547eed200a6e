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
function readPax(bytes: Uint8Array): { name?: string; size?: number } | undefined {
  const found: { name?: string; size?: number } = {};
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(32, at);
    const length = blank < 0 ? Number.NaN : Number(latin(bytes.subarray(at, blank)));
    if (!Number.isSafeInteger(length) || length < blank - at + 3 || at + length > bytes.length) return undefined;
    const record = utf8(bytes.subarray(blank + 1, at + length - 1));
    const equals = record.indexOf('=');
    if (equals < 0) return undefined;
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') found.name = value;
    if (key === 'size') found.size = Number(value);
    at += length;
  }
  const { size = 0 } = found;
  return Number.isSafeInteger(size) && size >= 0 ? found : undefined;
}

/** Takes bytes off a stream of chunks, in the amounts that the reader asks for; fails where it has ended. */
interface Intake {
  readonly take: (count: number) => Promise<Uint8Array | undefined>;
  readonly drop: (count: number) => Promise<boolean>;
  /** Reads to the end of the stream: what unpacks it compares its checksum there. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
}

function makeIntake(chunks: AsyncIterable<Uint8Array>): Intake {
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
    async drain() {
      while (await more());
    },
    async close() {
      await source.return?.();
    },
  };
}

/** A name that leads out of the archive, or that systems read differently. */
export const isUnsafeName = (name: string): boolean =>
  name === '' || /^[/\\]|^[A-Za-z]:|[\\\0]/.test(name) || name.split('/').includes('..');

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

interface Stop {
  readonly code: string;
  readonly text: string;
}

const TRUNCATED: Stop = { code: 'archive-truncated', text: 'The archive ends before its end mark' };
const malformed = (text: string): Stop => ({ code: 'archive-malformed', text });
const isStop = (value: object): value is Stop => 'code' in value;

/** Records before a header that say more than it can hold: long names, sizes of more digits. */
async function readExtra({ type, size }: Header, intake: Intake): Promise<Partial<Header> | Stop> {
  if (size > EXTRA_BYTES_MAX) return malformed('A name in the archive is too long');
  const bytes = await intake.take(size);
  if (bytes === undefined || !(await intake.drop(padding(size)))) return TRUNCATED;
  if (type === 'L') return { name: untilNul(utf8(bytes)) };
  return type === 'x' ? (readPax(bytes) ?? malformed('A pax record cannot be read')) : {};
}

/** The next file or folder; null at the end mark. */
async function nextHeader(intake: Intake): Promise<Header | Stop | null> {
  let known: Partial<Header> = {};
  for (;;) {
    const block = await intake.take(BLOCK);
    if (block === undefined) return TRUNCATED;
    if (block.every((byte) => byte === 0)) return null;
    const header = readHeader(block);
    if (header === undefined) return malformed('A header of the archive cannot be read');
    if (!/[xgLK]/.test(header.type)) {
      const { name, size, type } = { ...header, ...known };
      return { name: name.replace(/^(?:\.\/)+/, ''), size, type };
    }
    const extra = await readExtra(header, intake);
    if (isStop(extra)) return extra;
    known = { ...known, ...extra };
  }
}

/** What is wrong with an entry, whatever it holds. */
function refuseEntry({ name, type }: Header): Stop[] {
  const isFile = type === '0' || type === '7';
  return [
    ...(isFile ? [] : [{ code: 'archive-entry-kind', text: 'Only files and folders are taken, no links' }]),
    ...(isUnsafeName(name) ? [{ code: 'archive-path-unsafe', text: 'The path leads out of the package' }] : []),
  ];
}

async function* readEntries(
  intake: Intake,
  isWanted: (name: string) => boolean,
  limits: TarLimits,
): AsyncGenerator<TarItem, undefined> {
  const refused = (name: string, stop: Stop): TarItem => ({ kind: 'refused', name, ...stop });
  for (let count = 0; ;) {
    const header = await nextHeader(intake);
    if (header === null) {
      await intake.drain();
      return;
    }
    if (isStop(header)) {
      yield refused('', header);
      return;
    }
    const { name, size, type } = header;
    const isFolder = type === '5';
    if (!isFolder && ++count > limits.filesMax) {
      const text = `The archive holds more than ${limits.filesMax} files`;
      yield refused('', { code: 'archive-files-too-many', text });
      return;
    }
    const faults = isFolder ? [] : refuseEntry(header);
    const isSound = !isFolder && faults.length === 0;
    const isTaken = isSound && isWanted(name);
    const isTooLarge = isTaken && size > limits.fileBytesMax;
    if (isTooLarge)
      faults.push({ code: 'file-too-large', text: `Its size is ${size} bytes, above ${limits.fileBytesMax}` });
    yield* faults.map((fault) => refused(name, fault));
    const bytes = isTaken && !isTooLarge ? await intake.take(size) : null;
    const isWhole = bytes !== undefined && (await intake.drop((bytes === null ? size : 0) + padding(size)));
    if (!isWhole) {
      yield refused('', { ...TRUNCATED, text: `The archive ends within ${name}` });
      return;
    }
    if (bytes !== null) yield { kind: 'file', name, bytes };
    else if (isSound && !isTaken) yield { kind: 'passed', name };
  }
}

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
  try {
    yield* readEntries(intake, isWanted, limits);
  } finally {
    await intake.close();
  }
}
