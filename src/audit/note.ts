import { createHash } from 'node:crypto';
import { ORIGIN, type SigningKey, type VerifyingKey } from './signing-key.ts';

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
  /** The chains that have grown since the checkpoint before, in the order of their names: this is the order of their leaves. */
  readonly heads: readonly Head[];
  /** Digest of the checkpoint before; null for the first. */
  readonly previous: Uint8Array | null;
  /** SHA-256 of an export of everything up to an earlier checkpoint, whose records may go after this one. */
  readonly exported: { readonly digest: string; readonly upto: number } | null;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const noteDigest = (note: string): Buffer => createHash('sha256').update(note).digest();

/** A signed note with the lines of a transparency log's checkpoint first, so that other tools read it. https://c2sp.org/tlog-checkpoint */
export function writeNote(c: Checkpoint, key: SigningKey): string {
  const text = [
    ORIGIN,
    String(c.records),
    base64(c.root),
    `n ${c.n}`,
    `at ${c.at.toISOString()}`,
    ...c.heads.map(({ chain, seq, link }) => `chain ${chain} ${seq} ${base64(link)}`),
    ...(c.exported === null ? [] : [`exported ${c.exported.digest} ${c.exported.upto}`]),
    `prev ${c.previous === null ? '-' : base64(c.previous)}`,
    '',
  ].join('\n');
  return `${text}\n— ${ORIGIN} ${base64(Buffer.concat([key.hash, key.sign(text)]))}\n`;
}

const NOTE =
  /^(?<text>chartgate\/audit\n(?<records>\d{1,15})\n(?<root>[\w+/=]{44})\nn (?<n>\d{1,15})\nat (?<at>[\dTZ:.-]{24})\n(?<heads>(?:chain \S{1,128} \d{1,15} [\w+/=]{44}\n)*)(?:exported (?<exported>[0-9a-f]{64}) (?<upto>\d{1,15})\n)?prev (?<prev>-|[\w+/=]{44})\n)\n— chartgate\/audit (?<signature>[\w+/=]{92})\n$/;

export type ReadNote = { readonly checkpoint: Checkpoint } | { readonly wrong: 'shape' | 'key' | 'signature' };

/** Reads only what was signed by this key. */
export function readNote(note: string, key: VerifyingKey): ReadNote {
  const parts = NOTE.exec(note)?.groups;
  if (parts === undefined) return { wrong: 'shape' };
  const get = (name: string): string => parts[name] ?? '';
  const signature = Buffer.from(get('signature'), 'base64');
  if (!signature.subarray(0, 4).equals(key.hash)) return { wrong: 'key' };
  if (!key.verifies(get('text'), signature.subarray(4))) return { wrong: 'signature' };
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
    },
  };
}
