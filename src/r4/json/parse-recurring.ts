import { keepDigits } from '../runtime/raw-number.ts';
import { bytesOf, isPlainAscii, standAt, type Bytes } from './bytes.ts';
import { parseLossless } from './parse-lossless.ts';
import { came, newRecurring, remember, type RecurringElements } from './recurring-elements.ts';

/** What stays below these stays below `JSON_LIMITS` too. */
const BYTES_MAX = 128 * 1024;
const DEPTH_MAX = 40;
/** Names in their places that are remembered; a sender may write anything. */
const PLACES_MAX = 5_000;

/** Thrown where it is not certain what a text says: that is for `parseLossless` to judge. */
const UNSURE = Symbol('unsure');
function unsure(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- it is no error, and needs no stack
  throw UNSURE;
}

/** A name as it stands in an object behind the names before it: no name comes twice on the way to it. */
interface Place {
  readonly name: string;
  /** With its quotes and the colon, as it was written the last time. */
  head: Bytes;
  readonly before: Place | null;
  /** The name that came after it the last time. */
  likely: Place | null;
  after: Map<string, Place> | null;
  /** Where the names of objects begin that are its value, or stand in lists that are. */
  inside: Place | null;
  /** Whether its values come again. */
  readonly recurring: RecurringElements | null;
}

const NO_BYTES = bytesOf(new Uint8Array());
const copyOf = (bytes: Uint8Array): Bytes => bytesOf(Uint8Array.prototype.slice.call(bytes));
/** A slice of a text keeps all of that alive. */
const ownText = (slice: string): string => Buffer.from(slice, 'latin1').toString('latin1');

const newBegin = (): Place => ({
  name: '',
  head: NO_BYTES,
  before: null,
  likely: null,
  after: null,
  inside: null,
  recurring: null,
});

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const [QUOTE, COMMA, COLON, BLANK] = [0x22, 0x2c, 0x3a, 0x20];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Of digits alone, so few of them are a number as it is printed. */
const PLAIN_DIGITS_MAX = 9;

const isOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 48 && byte <= 57) || byte === 46 || byte === 45 || byte === 43 || (byte | 32) === 101);

/** Which elements of documents are expected to come again, by their names. */
export interface Recurring {
  /** In many documents: what they say of vocabulary. */
  readonly lasting: readonly string[];
  /** In one document, and nowhere else: what tells of its patient and its time. */
  readonly ofDocument: readonly string[];
}

/** Null where it is not certain what the text says. */
export type ParseRecurring = (input: Uint8Array) => { readonly value: unknown } | null;

function parseWhole(text: string): object {
  const parsed = parseLossless(text);
  return parsed.ok ? (parsed.value as object) : unsure();
}

/**
 * Parses documents that have much in common, to what `parseLossless` gives: an element that stands there again, byte for
 * byte, is not parsed again but is the same frozen object, so that whoever worked something out of it may remember that by
 * the object. It takes plain texts of one line without escapes, as programs write them, and is unsure of all others.
 */
export function makeParseRecurring({ lasting, ofDocument }: Recurring): ParseRecurring {
  const ofOne = new Map(ofDocument.map((name) => [name, newRecurring('of-document')]));
  const recurringOf = new Map([...lasting.map((name) => [name, newRecurring('lasting')] as const), ...ofOne]);
  const begin = newBegin();
  /** Of lists in lists, and of texts and numbers in lists: nothing is remembered there. */
  const nowhere = newBegin();
  let places = 0;

  let bytes: Uint8Array = new Uint8Array();
  let all = NO_BYTES;
  /** The same, one character for each byte. */
  let text = '';
  let at = 0;
  let depth = 0;

  function skipBlanks(): void {
    while (bytes[at] === BLANK) at += 1;
  }

  /** Where the next quote is. */
  function nextQuote(from: number): number {
    const { view, length } = all;
    let i = from;
    for (; i <= length - 4; i += 4) {
      const quote = view.getInt32(i, true) ^ 0x22222222;
      if (((quote - 0x01010101) & ~quote & 0x80808080) !== 0) break;
    }
    while (i < length && bytes[i] !== QUOTE) i += 1;
    return i < length ? i : unsure();
  }

  function newPlace(before: Place, name: string, head: Uint8Array): Place {
    for (let one: Place | null = before; one !== null; one = one.before) if (one.name === name) unsure();
    if (name === '__proto__' || places >= PLACES_MAX) unsure();
    places += 1;
    const own = ownText(name);
    const recurring = recurringOf.get(own) ?? null;
    return { name: own, head: copyOf(head), before, likely: null, after: null, inside: null, recurring };
  }

  function findPlace(before: Place): Place {
    if (bytes[at] !== QUOTE) unsure();
    const from = at;
    const end = nextQuote(from + 1);
    const name = text.slice(from + 1, end);
    at = end + 1;
    skipBlanks();
    if (bytes[at] !== COLON) unsure();
    at += 1;
    skipBlanks();
    let place = before.after?.get(name);
    if (place === undefined) {
      place = newPlace(before, name, bytes.subarray(from, at));
      (before.after ??= new Map()).set(place.name, place);
    }
    // Whoever writes it with other blanks will do so again.
    if (place.head.length !== at - from) place.head = copyOf(bytes.subarray(from, at));
    before.likely = place;
    return place;
  }

  /** Behind the name that comes next. */
  function takeName(before: Place): Place {
    const { likely } = before;
    if (likely === null || !standAt(likely.head, all, at)) return findPlace(before);
    at += likely.head.length;
    return likely;
  }

  function takeObject(of: Place): Readonly<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    depth += 1;
    if (depth > DEPTH_MAX) unsure();
    at += 1;
    skipBlanks();
    if (bytes[at] === CLOSE_OBJECT) at += 1;
    else {
      let place = (of.inside ??= newBegin());
      for (;;) {
        place = takeName(place);
        object[place.name] = takeValue(place);
        skipBlanks();
        const byte = bytes[at];
        at += 1;
        if (byte === CLOSE_OBJECT) break;
        if (byte !== COMMA) unsure();
        skipBlanks();
      }
    }
    depth -= 1;
    return object;
  }

  function takeList(of: Place): readonly unknown[] {
    const list: unknown[] = [];
    depth += 1;
    if (depth > DEPTH_MAX) unsure();
    at += 1;
    skipBlanks();
    if (bytes[at] === CLOSE_LIST) at += 1;
    else
      for (;;) {
        list.push(bytes[at] === OPEN_OBJECT ? takeObject(of) : takeValue(nowhere));
        skipBlanks();
        const byte = bytes[at];
        at += 1;
        if (byte === CLOSE_LIST) break;
        if (byte !== COMMA) unsure();
        skipBlanks();
      }
    depth -= 1;
    return list;
  }

  function takeAgain(of: Place, elements: RecurringElements): unknown {
    const { last } = elements;
    const likely = last?.likely ?? last;
    if (likely !== null && standAt(likely.bytes, all, at)) {
      at += likely.bytes.length;
      elements.last = likely;
      return likely.value;
    }
    const lessLikely = last?.lessLikely ?? last;
    if (lessLikely !== null && standAt(lessLikely.bytes, all, at)) {
      at += lessLikely.bytes.length;
      came(elements, lessLikely);
      return lessLikely.value;
    }
    const from = at;
    const value = bytes[at] === OPEN_OBJECT ? takeObject(of) : takeList(of);
    const element = remember(elements, text.slice(from, at), value, parseWhole);
    if (element === null) return value;
    came(elements, element);
    return element.value;
  }

  function takeText(): string {
    const end = nextQuote(at + 1);
    const taken = text.slice(at + 1, end);
    at = end + 1;
    return taken;
  }

  function takeWord<T>(word: string, value: T): T {
    if (!text.startsWith(word, at)) unsure();
    at += word.length;
    return value;
  }

  function takeNumber(): unknown {
    const from = at;
    let isDigits = true;
    let number = 0;
    for (let byte = bytes[at]; byte !== undefined && isOfNumber(byte); byte = bytes[at]) {
      if (byte < 48 || byte > 57) isDigits = false;
      number = number * 10 + byte - 48;
      at += 1;
    }
    const length = at - from;
    if (isDigits && length > 0 && length <= PLAIN_DIGITS_MAX && (bytes[from] !== 48 || length === 1)) return number;
    const digits = text.slice(from, at);
    if (!NUMBER.test(digits)) unsure();
    const value = Number(digits);
    return String(value) === digits ? value : keepDigits(ownText(digits));
  }

  function takeValue(of: Place): unknown {
    switch (bytes[at] as number) {
      case QUOTE:
        return takeText();
      case OPEN_OBJECT:
        return of.recurring === null ? takeObject(of) : takeAgain(of, of.recurring);
      case OPEN_LIST:
        return of.recurring === null ? takeList(of) : takeAgain(of, of.recurring);
      case 0x74:
        return takeWord('true', true);
      case 0x66:
        return takeWord('false', false);
      case 0x6e:
        return takeWord('null', null);
      default:
        return takeNumber();
    }
  }

  return (input) => {
    if (input.byteLength > BYTES_MAX) return null;
    all = bytesOf(input);
    if (!isPlainAscii(all)) return null;
    bytes = input;
    text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('latin1');
    at = 0;
    depth = 0;
    try {
      const value = takeValue(begin);
      return at === bytes.length ? { value } : null;
    } catch (thrown) {
      if (thrown === UNSURE) return null;
      throw thrown;
    } finally {
      bytes = new Uint8Array();
      all = NO_BYTES;
      text = '';
      for (const elements of ofOne.values()) elements.last = null;
    }
  };
}
