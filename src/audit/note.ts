import { createHash } from 'node:crypto';
import { ORIGIN, parseVerifyingKey, type SigningKey, type VerifyingKey } from './signing-key.ts';

/** How far a chain had come. */
export interface Head {
  readonly chain: string;
  readonly seq: number;
  readonly link: Uint8Array;
}

/** What a checkpoint says. */
export interface Checkpoint {
  readonly n: number;
  readonly at: Date;
  /** Of all chains together, from the first on. */
  readonly records: number;
  readonly root: Uint8Array;
  /**
   * The chains that have grown since the checkpoint before, in the order of their names: this is the order of their
   * leaves.
   */
  readonly heads: readonly Head[];
  /** Digest of the checkpoint before; null for the first. */
  readonly previous: Uint8Array | null;
  /** SHA-256 of an export of everything up to an earlier checkpoint, whose records may go after this one. */
  readonly exported: { readonly digest: string; readonly upto: number } | null;
  /**
   * From here on another key signs. Such a checkpoint is signed by both, so that who knows either key can go on to the
   * other.
   */
  readonly rotated: { readonly from: VerifyingKey; readonly to: VerifyingKey } | null;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const noteDigest = (note: string): Buffer => createHash('sha256').update(note).digest();

/**
 * A signed note with the lines of a transparency log's checkpoint first, so that other tools read it.
 * https://c2sp.org/tlog-checkpoint `by`: one key, or for a rotation the new one and the old one.
 */
export function writeNote(c: Checkpoint, by: readonly SigningKey[]): string {
  const text = [
    ORIGIN,
    String(c.records),
    base64(c.root),
    `n ${c.n}`,
    `at ${c.at.toISOString()}`,
    ...c.heads.map(({ chain, seq, link }) => `chain ${chain} ${seq} ${base64(link)}`),
    ...(c.exported === null ? [] : [`exported ${c.exported.digest} ${c.exported.upto}`]),
    ...(c.rotated === null ? [] : [`key ${c.rotated.from.text} ${c.rotated.to.text}`]),
    `prev ${c.previous === null ? '-' : base64(c.previous)}`,
    '',
  ].join('\n');
  const signatures = by.map((key) => `— ${ORIGIN} ${base64(Buffer.concat([key.hash, key.sign(text)]))}\n`);
  return `${text}\n${signatures.join('')}`;
}

/** When a checkpoint was signed, as its note says; null where it is none. */
export function noteTime(note: string): number | null {
  const ms = Date.parse(NOTE.exec(note)?.groups?.['at'] ?? '');
  return Number.isNaN(ms) ? null : ms;
}

const NOTE =
  /^(?<text>chartgate\/audit\n(?<records>\d{1,15})\n(?<root>[\w+/=]{44})\nn (?<n>\d{1,15})\nat (?<at>[\dTZ:.-]{24})\n(?<heads>(?:chain \S{1,128} \d{1,15} [\w+/=]{44}\n)*)(?:exported (?<exported>[0-9a-f]{64}) (?<upto>\d{1,15})\n)?(?:key (?<from>\S{1,128}) (?<to>\S{1,128})\n)?prev (?<prev>-|[\w+/=]{44})\n)\n(?<signatures>(?:— chartgate\/audit [\w+/=]{92}\n){1,2})$/;

export type ReadNote = { readonly checkpoint: Checkpoint } | { readonly wrong: 'shape' | 'key' | 'signature' };

type Parts = Readonly<Partial<Record<string, string>>>;

function parseNote(note: string): { readonly parts: Parts; readonly rotated: Checkpoint['rotated'] } | null {
  const parts = NOTE.exec(note)?.groups;
  if (parts === undefined) return null;
  if (parts['from'] === undefined) return { parts, rotated: null };
  const [from, to] = [parseVerifyingKey(parts['from']), parseVerifyingKey(parts['to'] ?? '')];
  return from === null || to === null || from.text === to.text ? null : { parts, rotated: { from, to } };
}

/** The keys that a note names where it says that another one signs from here on. Nobody has checked who says so. */
export const claimedRotation = (note: string): Checkpoint['rotated'] => parseNote(note)?.rotated ?? null;

function checkSignatures(parts: Parts, keys: readonly VerifyingKey[]): 'key' | 'signature' | null {
  const lines = (parts['signatures'] ?? '').split('\n').slice(0, -1);
  if (lines.length !== keys.length) return 'key';
  for (const [i, key] of keys.entries()) {
    const signature = Buffer.from(lines[i]?.split(' ')[2] ?? '', 'base64');
    if (!signature.subarray(0, 4).equals(key.hash)) return 'key';
    if (!key.verifies(parts['text'] ?? '', signature.subarray(4))) return 'signature';
  }
  return null;
}

/** Reads only what was signed by this key, and by the other one too where it gives way to it or takes over from it. */
export function readNote(note: string, key: VerifyingKey): ReadNote {
  const parsed = parseNote(note);
  if (parsed === null) return { wrong: 'shape' };
  const { parts, rotated } = parsed;
  if (rotated !== null && rotated.from.text !== key.text && rotated.to.text !== key.text) return { wrong: 'key' };
  const wrong = checkSignatures(parts, rotated === null ? [key] : [rotated.to, rotated.from]);
  if (wrong !== null) return { wrong };
  const get = (name: string): string => parts[name] ?? '';
  const heads = get('heads')
    .split('\n')
    .slice(0, -1)
    .map((line): Head => {
      const [, chain = '', seq = '', link = ''] = line.split(' ');
      return { chain, seq: Number(seq), link: Buffer.from(link, 'base64') };
    });
  const prev = get('prev');
  return {
    checkpoint: {
      n: Number(get('n')),
      at: new Date(get('at')),
      records: Number(get('records')),
      root: Buffer.from(get('root'), 'base64'),
      heads,
      previous: prev === '-' ? null : Buffer.from(prev, 'base64'),
      exported: parts['exported'] === undefined ? null : { digest: parts['exported'], upto: Number(get('upto')) },
      rotated,
    },
  };
}

/** Whether this key is the one that signs after this note: it signed it, and did not give way by it. */
export function goesOnWith(note: string, key: VerifyingKey): boolean {
  const read = readNote(note, key);
  return 'checkpoint' in read && (read.checkpoint.rotated === null || read.checkpoint.rotated.to.text === key.text);
}
