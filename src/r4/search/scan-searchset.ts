import { isUtf8 } from 'node:buffer';
import {
  endOfArray,
  endOfObject,
  endOfString,
  endOfValue,
  isRepeated,
  knowNames,
  newWalk,
  NO_NAME,
  skipBlank,
  UNSURE,
  type ByteWalk,
  type Item,
  type KnownNames,
  type Member,
} from '../json/walk-bytes.ts';

/** An element of a resource, and where its value stands. */
export interface LocatedElement {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A match of a searchset, by what it says of itself, and where its resource stands. */
export interface ScannedEntry {
  readonly type: string;
  readonly id: string;
  /** `reference` of the element that was named as the subject. */
  readonly subject: string;
  readonly start: number;
  readonly end: number;
  /** Each of the elements to be located that the resource itself has. */
  readonly located: readonly LocatedElement[];
}

/** A searchset of matches alone. `text` has a character for each byte, to which `start` and `end` refer. */
export interface ScannedSearchset {
  readonly text: string;
  readonly link: unknown;
  readonly entries: readonly ScannedEntry[];
}

/** Null: `parseLossless` is to be asked. It may find a page that is no less sound. */
export type ScanSearchset = (bytes: Uint8Array) => ScannedSearchset | null;

export interface SearchsetRule {
  /** The element of a resource that refers to whom it is about: `subject`, `patient`. */
  readonly subject: string;
  /** Elements whose texts are looked at, and those that make a difference to a text that stands in them. */
  readonly watched: Iterable<string>;
  /**
   * Whether a text of a watched element may stay as it is. `within` is empty where it stands in one of no interest. It
   * depends on these three alone: what stayed once is not asked about again where an element repeats it.
   */
  readonly stays: (text: string, name: string, within: string) => boolean;
  /** Elements of the resource itself that are to be found again. */
  readonly located?: Iterable<string>;
}

interface Walk extends ByteWalk {
  readonly rule: SearchsetRule;
  readonly isWatched: Uint8Array;
  readonly isLocated: Uint8Array;
  readonly names: Names;
  readonly entries: ScannedEntry[];
  link: unknown;
  hasType: boolean;
  hasResourceType: boolean;
  /** Of the entry at hand. */
  type: string;
  id: string;
  subject: string;
  start: number;
  end: number;
  located: LocatedElement[];
  /**
   * Of the elements that are objects or lists, in their order, a row for each: its name, start and length. As far as the
   * resource at hand was walked they are its own, and beyond that of a resource before it.
   */
  readonly sound: Int32Array;
  /** How many such elements of the resource at hand were walked. */
  walked: number;
}

/** Several times as many as resources of US Core have. */
const SOUND_MAX = 64;
const ROW_LENGTH = 3;

const NAMES = [
  'resourceType',
  'type',
  'link',
  'entry',
  'resource',
  'search',
  'mode',
  'id',
  'contained',
  'reference',
] as const;
type Names = Readonly<Record<(typeof NAMES)[number] | 'subject', number>>;

const unsure = (): number => UNSURE;

/** A string that is these characters, without any escape. */
const endOfExact = ({ text }: Walk, at: number, quoted: string): number =>
  text.startsWith(quoted, at) ? at + quoted.length : UNSURE;

/** What is not passed on must be sound JSON, and no more is asked of it. */
const outsideMember: Member<Walk> = (walk, _name, at, depth, within) =>
  endOfValue(walk, at, depth, outsideMember, within);

/** An escape, or a character of more than one byte. */
const NOT_PLAIN = /[^\x20-\x5b\x5d-\x7e]/;

function textOf({ bytes, text }: Walk, start: number, end: number): string {
  const plain = text.slice(start, end);
  return NOT_PLAIN.test(plain) ? (JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string) : plain;
}

/** Looks at nothing but the name and the bytes, and notes nothing down: `repeatableMember` counts on both. */
const insideMember: Member<Walk> = (walk, name, at, depth, within) => {
  const { bytes, isWatched, rule, known } = walk;
  if (bytes[at] !== 34) return endOfValue(walk, at, depth, insideMember, name);
  const end = endOfString(walk, at + 1);
  if (end === UNSURE) return UNSURE;
  if (name === NO_NAME || isWatched[name] === 0) return end + 1;
  const { list } = known;
  const holder = within === NO_NAME ? '' : (list[within] as string);
  return rule.stays(textOf(walk, at + 1, end), list[name] as string, holder) ? end + 1 : UNSURE;
};

/**
 * The resources of a page have much in common: their category, their code, who did it. An element with the name and the
 * bytes of the one at its place in a resource before is as sound as that was, and is passed over. All names of no
 * interest count as one, since they make no difference to what stands in them; all of these elements are equally deep.
 */
const repeatableMember: Member<Walk> = (walk, name, at, depth, within) => {
  const { bytes, sound } = walk;
  const first = bytes[at];
  const isObjectOrList = first === 123 || first === 91;
  if (!isObjectOrList || walk.walked === SOUND_MAX) return insideMember(walk, name, at, depth, within);
  const row = ROW_LENGTH * walk.walked++;
  const start = sound[row + 1] as number;
  const length = sound[row + 2] as number;
  const isKnown = length > 0 && sound[row] === name && isRepeated(walk, start, length, at);
  const end = isKnown ? at + length : insideMember(walk, name, at, depth, within);
  if (end === UNSURE) return UNSURE;
  sound[row] = name;
  sound[row + 1] = at;
  sound[row + 2] = end - at;
  return end;
};

/** The characters of the string at `at`, as they are written; null where there is no string. */
function writtenAt(walk: Walk, at: number): string | null {
  const { bytes, text } = walk;
  const end = bytes[at] === 34 ? endOfString(walk, at + 1) : UNSURE;
  return end === UNSURE ? null : text.slice(at + 1, end);
}

const subjectMember: Member<Walk> = (walk, name, at, depth, within) => {
  if (name === walk.names.reference) {
    const written = writtenAt(walk, at);
    if (written === null) return UNSURE;
    walk.subject = written;
  }
  return insideMember(walk, name, at, depth, within);
};

const elementOf: Member<Walk> = (walk, name, at, depth, within) => {
  const { names, bytes } = walk;
  switch (name) {
    case names.resourceType:
    case names.id: {
      const written = writtenAt(walk, at);
      if (written === null) return UNSURE;
      if (name === names.id) walk.id = written;
      else walk.type = written;
      return at + written.length + 2;
    }
    case names.subject:
      return bytes[at] === 123 ? endOfObject(walk, at, depth + 1, subjectMember, name) : UNSURE;
    case names.contained:
      return UNSURE;
    default:
      return repeatableMember(walk, name, at, depth, within);
  }
};

const resourceMember: Member<Walk> = (walk, name, at, depth, within) => {
  const end = elementOf(walk, name, at, depth, within);
  if (name !== NO_NAME && walk.isLocated[name] === 1)
    walk.located.push({ name: walk.known.list[name] as string, start: at, end });
  return end;
};

const searchMember: Member<Walk> = (walk, name, at, depth, within) =>
  name === walk.names.mode ? endOfExact(walk, at, '"match"') : outsideMember(walk, name, at, depth, within);

const entryMember: Member<Walk> = (walk, name, at, depth, within) => {
  const { names, bytes } = walk;
  if (name === names.search) return bytes[at] === 123 ? endOfObject(walk, at, depth + 1, searchMember, name) : UNSURE;
  if (name !== names.resource) return outsideMember(walk, name, at, depth, within);
  if (bytes[at] !== 123) return UNSURE;
  walk.start = at;
  walk.walked = 0;
  walk.end = endOfObject(walk, at, depth + 1, resourceMember, name);
  return walk.end;
};

const entryItem: Item<Walk> = (walk, at, depth, _member, within) => {
  if (walk.bytes[at] !== 123) return UNSURE;
  walk.type = walk.id = walk.subject = '';
  walk.end = UNSURE;
  walk.located = [];
  const end = endOfObject(walk, at, depth + 1, entryMember, within);
  const { type, id, subject, start, located } = walk;
  if (walk.end === UNSURE) return UNSURE;
  walk.entries.push({ type, id, subject, start, end: walk.end, located });
  return end;
};

const bundleMember: Member<Walk> = (walk, name, at, depth, within) => {
  const { names, bytes } = walk;
  switch (name) {
    case names.resourceType:
      walk.hasResourceType = true;
      return endOfExact(walk, at, '"Bundle"');
    case names.type:
      walk.hasType = true;
      return endOfExact(walk, at, '"searchset"');
    case names.entry:
      return bytes[at] === 91 ? endOfArray(walk, at, depth + 1, entryItem, unsure, name) : UNSURE;
    case names.link: {
      const end = outsideMember(walk, name, at, depth, within);
      if (end !== UNSURE) walk.link = JSON.parse(bytes.toString('utf8', at, end));
      return end;
    }
    default:
      return outsideMember(walk, name, at, depth, within);
  }
};

function placesOf(known: KnownNames, subject: string): Names {
  const placeOf = (name: string): number => known.list.indexOf(name);
  return Object.fromEntries([...NAMES.map((name) => [name, placeOf(name)]), ['subject', placeOf(subject)]]) as Names;
}

/**
 * Makes a reader of searchsets that builds no resource. It takes only what is beyond doubt: strict JSON within the
 * limits of `parseLossless`; a Bundle of type searchset; entries that are matches, whose resource says once and without
 * escapes what it is, its id, and by one reference whom it is about, contains no other, and has no text that may not
 * stay as it is.
 */
export function makeScanSearchset(rule: SearchsetRule): ScanSearchset {
  const watched = [...rule.watched];
  const located = [...(rule.located ?? [])];
  const known = knowNames([...NAMES, rule.subject, ...watched, ...located]);
  const isWatched = Uint8Array.from(known.list, (name) => (watched.includes(name) ? 1 : 0));
  const isLocated = Uint8Array.from(known.list, (name) => (located.includes(name) ? 1 : 0));
  const names = placesOf(known, rule.subject);

  return (bytes) => {
    const begun = isUtf8(bytes) ? newWalk(bytes, known) : null;
    if (begun === null) return null;
    const walk: Walk = {
      ...begun,
      rule,
      isWatched,
      isLocated,
      names,
      entries: [],
      link: null,
      hasType: false,
      hasResourceType: false,
      type: '',
      id: '',
      subject: '',
      start: 0,
      end: UNSURE,
      located: [],
      sound: new Int32Array(ROW_LENGTH * SOUND_MAX),
      walked: 0,
    };
    const at = skipBlank(walk.bytes, 0);
    const end = walk.bytes[at] === 123 ? endOfObject(walk, at, 1, bundleMember, NO_NAME) : UNSURE;
    const isWhole = end !== UNSURE && skipBlank(walk.bytes, end) === walk.bytes.length;
    if (!isWhole || !walk.hasType || !walk.hasResourceType) return null;
    const { text, link, entries } = walk;
    return { text, link, entries };
  };
}
