import { hash, hkdfSync } from 'node:crypto';
import { flatText, type Brand } from '../kernel/index.ts';

/**
 * The parts of a resource by which it is judged what stands in a chart: whether it is what a document says, and whether
 * it is as we left it. Nothing else counts: marks in `meta`, narratives and the order of lists are the EHR's own
 * affair, and tags above all (HAPI keeps every tag that an update leaves out, others drop them all).
 */
export const CONTENT_PARTS = [
  'status',
  'code',
  'subject',
  'time',
  'value',
  'unit',
  'components',
  'interpretation',
  'notes',
  'identifiers',
  'other',
] as const;
export type ContentPart = (typeof CONTENT_PARTS)[number];

/**
 * In words that people can read, and equal where the content is: numbers by value, instants in UTC, lists without their
 * order.
 */
export type ChartContent = Readonly<Partial<Record<ContentPart, string>>>;

/**
 * Content in 44 bytes of hexadecimal, part by part, so that two can be compared part by part without being kept: four
 * bytes of a keyed hash each, and zeros for a part that is not there. The key keeps a value from being guessed from it.
 */
export type Fingerprint = Brand<string, 'Fingerprint'>;
const PART_HEX = 8;
const NO_PART = '0'.repeat(PART_HEX);
export const FINGERPRINT_BYTES = (CONTENT_PARTS.length * PART_HEX) / 2;

/** A key of its own, so that fingerprints and pseudonyms have nothing in common. */
export const makeContentKey = (pseudonymKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', pseudonymKey, '', 'chartgate content v1', 32)).toString('hex');

/** Of what is not there. */
export const NO_CONTENT = NO_PART.repeat(CONTENT_PARTS.length) as Fingerprint;

/** Parts that are the same in very many resources, and tell nothing of one person. */
const COMMON: ReadonlySet<ContentPart> = new Set(['status', 'code', 'subject', 'unit']);
/** Parts that resources of one document often share. */
const SHARED: ReadonlySet<ContentPart> = new Set(['time', 'other']);
const COMMON_MAX = 500;
const COMMON_LENGTH_MAX = 200;
const KEYS_MAX = 8;

/** How a part is hashed with one key, and what is remembered of it: making a print takes longer than finding it. */
interface PrintedPart {
  readonly part: ContentPart;
  readonly head: string;
  readonly common: Map<string, string> | null;
  readonly isShared: boolean;
}
const byKey = new Map<string, readonly PrintedPart[]>();

function printedParts(key: string): readonly PrintedPart[] {
  const known = byKey.get(key);
  if (known !== undefined) return known;
  const made = CONTENT_PARTS.map((part) => ({
    part,
    head: flatText(key, '\n', part, '\n'),
    common: COMMON.has(part) ? new Map<string, string>() : null,
    isShared: SHARED.has(part),
  }));
  if (byKey.size >= KEYS_MAX) byKey.clear();
  byKey.set(key, made);
  return made;
}

const printOf = (head: string, text: string): string => hash('sha256', head + text).slice(0, PART_HEX);

function rememberedPrint(head: string, text: string, known: Map<string, string>): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  const print = printOf(head, text);
  // Codes may be anything.
  if (known.size < COMMON_MAX && text.length <= COMMON_LENGTH_MAX) known.set(text, print);
  return print;
}

/** For the resources of one document. A part that is empty is not there. */
export function openFingerprints(key: string): (content: ChartContent) => Fingerprint {
  const printed = printedParts(key);
  const shared = printed.map(({ isShared }) => (isShared ? new Map<string, string>() : null));
  return (content) => {
    let print = '';
    for (let i = 0; i < printed.length; i += 1) {
      const { part, head, common } = printed[i] as PrintedPart;
      const text = content[part] ?? '';
      const known = common ?? shared[i] ?? null;
      if (text === '') print += NO_PART;
      else print += known === null ? printOf(head, text) : rememberedPrint(head, text, known);
    }
    return print as Fingerprint;
  };
}

const partAt = (print: Fingerprint, i: number): string => print.slice(i * PART_HEX, (i + 1) * PART_HEX);
export const hasPart = (print: Fingerprint, part: ContentPart): boolean =>
  partAt(print, CONTENT_PARTS.indexOf(part)) !== NO_PART;

/** The parts in which two differ. */
export const differingParts = (a: Fingerprint, b: Fingerprint): ContentPart[] =>
  CONTENT_PARTS.filter((_, i) => partAt(a, i) !== partAt(b, i));
