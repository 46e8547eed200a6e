/**
 * Reads JSON where it lies, without building anything. It knows one answer: where a value ends that `parseLossless`
 * would take. Whatever it refuses, or is not sure of, is UNSURE, and is for `parseLossless` to judge: a repeated name
 * or one that may be (two of the same hash), a name with an escape, more nesting or more names than resources have.
 */
export const UNSURE = -1;

/** What stays below these stays below `JSON_LIMITS` too: a value, a name or a bracket takes at least one byte. */
const BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 40;
const OPEN_NAMES_MAX = 128;

/** Names that a reader of bytes looks for. Each is known by its place in the list; NO_NAME is any other. */
export interface KnownNames {
  readonly list: readonly string[];
  readonly hashes: Int32Array;
  /** By the lower bits of a hash: a place, or NO_NAME. */
  readonly places: Int16Array;
}
export const NO_NAME = -1;

export interface ByteWalk {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** The same bytes, one character for each. */
  readonly text: string;
  readonly known: KnownNames;
  /** Hashes of the names of all objects that are open, and how many there are. */
  readonly open: Int32Array;
  count: number;
}

/**
 * What to do with a member of an object, whose value begins at `at`: where that value ends, or UNSURE. `within` is the
 * name of the element that the object stands in. A text whose name is not known is skipped without asking.
 */
export type Member<W extends ByteWalk> = (walk: W, name: number, at: number, depth: number, within: number) => number;
export type Item<W extends ByteWalk> = (
  walk: W,
  at: number,
  depth: number,
  member: Member<W>,
  within: number,
) => number;

const SLOTS = 1024;
const HASH_START = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;

/** Four bytes of a name at a time, and what is left of them at its end: no byte of a name is zero. */
const mix = (hash: number, word: number): number => Math.imul(hash ^ word, HASH_FACTOR);

function hashOf(name: string): number {
  let hash = HASH_START;
  for (let i = 0; i < name.length; i += 4) {
    let word = 0;
    for (let n = 0; n < 4 && i + n < name.length; n++) word |= name.charCodeAt(i + n) << (8 * n);
    hash = mix(hash, word);
  }
  return hash ^ (hash >>> 15);
}

/**
 * The highest bit of each byte of `word` that ends a run of plain characters: a quote, a backslash, a control. Only the
 * lowest of these bits is certain, because each subtraction may borrow from the byte above a marked one.
 */
function marksIn(word: number): number {
  const quote = word ^ 0x22222222;
  const escape = word ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) | ((escape - 0x01010101) & ~escape) | ((word - 0x20202020) & ~word)) & 0x80808080
  );
}

/** How many bytes of a word are below its lowest mark. */
const bytesBelow = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3;

/** Names whose lower bits meet are moved to the next free place of the table, and looked for there. */
export function knowNames(names: Iterable<string>): KnownNames {
  const list = [...new Set(names)];
  const hashes = Int32Array.from(list, hashOf);
  const places = new Int16Array(SLOTS).fill(NO_NAME);
  for (const [place, hash] of hashes.entries()) {
    let slot = hash & (SLOTS - 1);
    while (places[slot] !== NO_NAME) slot = (slot + 1) & (SLOTS - 1);
    places[slot] = place;
  }
  return { list, hashes, places };
}

function nameAt({ text, known }: ByteWalk, hash: number, start: number, end: number): number {
  const { list, hashes, places } = known;
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const place = places[slot] as number;
    if (place === NO_NAME) return NO_NAME;
    if (hashes[place] === hash) {
      const name = list[place] as string;
      if (name.length === end - start && text.startsWith(name, start)) return place;
    }
  }
}

/** Null where the text is too large to be walked. The bytes must be valid UTF-8. */
export function newWalk(input: Uint8Array, known: KnownNames): ByteWalk | null {
  if (input.byteLength > BYTES_MAX) return null;
  const { buffer, byteOffset, byteLength } = input;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return {
    bytes,
    view: new DataView(buffer, byteOffset, byteLength),
    text: bytes.toString('latin1', 0, byteLength),
    known,
    open: new Int32Array(OPEN_NAMES_MAX),
    count: 0,
  };
}

/** Whether the so many bytes from `start` stand again at `at`, which is behind them. */
export function isRepeated({ bytes, view }: ByteWalk, start: number, length: number, at: number): boolean {
  if (at + length > bytes.length) return false;
  let i = 0;
  for (; i <= length - 4; i += 4) if (view.getInt32(start + i, true) !== view.getInt32(at + i, true)) return false;
  for (; i < length; i++) if (bytes[start + i] !== bytes[at + i]) return false;
  return true;
}

export function skipBlank(bytes: Uint8Array, from: number): number {
  let i = from;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte > 32 || (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9)) break;
  }
  return i;
}

const isHex = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 102));

/** The last byte of the escape whose backslash is at `at`. */
function endOfEscape(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1] as number) {
    case 34: // "
    case 92: // \
    case 47: // /
    case 98: // b
    case 102: // f
    case 110: // n
    case 114: // r
    case 116: // t
      return at + 1;
    case 117: // u
      for (let i = at + 2; i < at + 6; i++) if (!isHex(bytes[i])) return UNSURE;
      return at + 5;
    default:
      return UNSURE;
  }
}

/** Where the closing quote is of the string whose first character is at `from`. */
export function endOfString({ bytes, view }: ByteWalk, from: number): number {
  const last = bytes.length - 4;
  for (let i = from; i < bytes.length; i++) {
    while (i <= last) {
      const marks = marksIn(view.getInt32(i, true));
      if (marks !== 0) {
        i += bytesBelow(marks);
        break;
      }
      i += 4;
    }
    const byte = bytes[i] as number;
    if (byte === 34) return i;
    if (byte < 32) return UNSURE;
    if (byte === 92) {
      i = endOfEscape(bytes, i);
      if (i === UNSURE) return UNSURE;
    }
  }
  return UNSURE;
}

/** Behind the string whose opening quote is at `at`. */
function afterString(walk: ByteWalk, at: number): number {
  const end = endOfString(walk, at + 1);
  return end === UNSURE ? UNSURE : end + 1;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** After the digits that begin at `from`; UNSURE where there are none. */
function endOfDigits(bytes: Uint8Array, from: number): number {
  let i = from;
  while (isDigit(bytes[i])) i++;
  return i === from ? UNSURE : i;
}

function endOfNumber(bytes: Uint8Array, from: number): number {
  const first = bytes[from] === 45 ? from + 1 : from;
  let i = bytes[first] === 48 ? first + 1 : endOfDigits(bytes, first);
  if (i !== UNSURE && bytes[i] === 46) i = endOfDigits(bytes, i + 1);
  if (i !== UNSURE && ((bytes[i] ?? 0) | 32) === 101)
    i = endOfDigits(bytes, bytes[i + 1] === 43 || bytes[i + 1] === 45 ? i + 2 : i + 1);
  return i;
}

const endOfWord = (text: string, at: number, word: string): number =>
  text.startsWith(word, at) ? at + word.length : UNSURE;

/** The object whose brace is at `at`. */
export function endOfObject<W extends ByteWalk>(
  walk: W,
  at: number,
  depth: number,
  member: Member<W>,
  within: number,
): number {
  const { bytes, view, open } = walk;
  if (depth > DEPTH_MAX) return UNSURE;
  const last = bytes.length - 4;
  let i = skipBlank(bytes, at + 1);
  if (bytes[i] === 125) return i + 1;
  const first = walk.count;
  for (;;) {
    if (bytes[i] !== 34) return UNSURE;
    const start = i + 1;
    let hash = HASH_START;
    for (i = start; ; i += 4) {
      // Behind a name there are at least three bytes: no name is missed that is too near to the end for four.
      if (i > last) return UNSURE;
      const word = view.getInt32(i, true);
      const marks = marksIn(word);
      if (marks === 0) {
        hash = mix(hash, word);
        continue;
      }
      const left = bytesBelow(marks);
      if (left > 0) hash = mix(hash, word & (0xffffff >>> (24 - 8 * left)));
      i += left;
      break;
    }
    if (bytes[i] !== 34) return UNSURE;
    hash ^= hash >>> 15;
    const name = nameAt(walk, hash, start, i);
    const { count } = walk;
    for (let n = first; n < count; n++) if (open[n] === hash) return UNSURE;
    if (count === OPEN_NAMES_MAX) return UNSURE;
    open[count] = hash;
    walk.count = count + 1;
    i = skipBlank(bytes, i + 1);
    if (bytes[i] !== 58) return UNSURE;
    i = skipBlank(bytes, i + 1);
    i = name === NO_NAME && bytes[i] === 34 ? afterString(walk, i) : member(walk, name, i, depth, within);
    if (i === UNSURE) return UNSURE;
    i = skipBlank(bytes, i);
    if (bytes[i] === 125) {
      walk.count = first;
      return i + 1;
    }
    if (bytes[i] !== 44) return UNSURE;
    i = skipBlank(bytes, i + 1);
  }
}

/** The array whose bracket is at `at`. */
export function endOfArray<W extends ByteWalk>(
  walk: W,
  at: number,
  depth: number,
  item: Item<W>,
  member: Member<W>,
  within: number,
): number {
  const { bytes } = walk;
  if (depth > DEPTH_MAX) return UNSURE;
  let i = skipBlank(bytes, at + 1);
  if (bytes[i] === 93) return i + 1;
  for (;;) {
    i = item(walk, i, depth, member, within);
    if (i === UNSURE) return UNSURE;
    i = skipBlank(bytes, i);
    if (bytes[i] === 93) return i + 1;
    if (bytes[i] !== 44) return UNSURE;
    i = skipBlank(bytes, i + 1);
  }
}

/** Any value; `member` is asked about those of the objects in it, however deep. */
export function endOfValue<W extends ByteWalk>(
  walk: W,
  at: number,
  depth: number,
  member: Member<W>,
  within: number,
): number {
  const { bytes, text } = walk;
  switch (bytes[at] as number) {
    case 34:
      return afterString(walk, at);
    case 123:
      return endOfObject(walk, at, depth + 1, member, within);
    case 91:
      return endOfArray(walk, at, depth + 1, endOfValue, member, within);
    case 116:
      return endOfWord(text, at, 'true');
    case 102:
      return endOfWord(text, at, 'false');
    case 110:
      return endOfWord(text, at, 'null');
    default:
      return endOfNumber(bytes, at);
  }
}
