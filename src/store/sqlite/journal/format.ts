import { createCipheriv, createDecipheriv, hash, type KeyObject } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { isObject } from '../../../kernel/index.ts';

/*
 * A journal file: a head, then blocks one behind the other. A block holds entries that became durable together, sealed
 * under the key of the head. Blocks of an earlier use of the file may follow; they have another key and are no blocks of
 * this one.
 */

/** What was asked of the store, under its place in the order of all that was ever journaled. */
export interface Entry {
  readonly place: number;
  readonly name: string;
  readonly args: unknown;
}

/** One use of a file. */
export interface Head {
  /** Of the database that it belongs to. */
  readonly store: string;
  /** Grows with each use of a file. */
  readonly use: number;
  /** The key of its blocks, sealed by the data key. */
  readonly sealedKey: Uint8Array;
}

/** Where a block stands, and what is in it. */
export interface BlockPlace {
  readonly file: number;
  readonly use: number;
  readonly at: number;
  readonly bytes: number;
  /** The place of its first entry, and how many it has. */
  readonly first: number;
  readonly count: number;
}

/** A head fills it, so that a head is never written beside a block that is kept. */
export const HEAD_BYTES = 512;
const HEAD_MAGIC = Buffer.from('chartgate journal 1\n');
const DIGEST = 32;

const BLOCK_MAGIC = 0x314b4c42;
export const BLOCK_BEGINS = Buffer.from('BLK1');
const NONCE = 12;
const TAG = 16;
/** Magic, length of the sealed entries, place of the first, their count, nonce, tag. */
const BLOCK_HEAD = 4 + 4 + 8 + 4 + NONCE + TAG;
const [LENGTH_AT, FIRST_AT, COUNT_AT, NONCE_AT] = [4, 8, 16, 20];
const TAG_AT = NONCE_AT + NONCE;

/** One entry may be a body of the largest size that is taken, and no more than a file. */
const BLOCK_BYTES_MAX = 512 * 1024 * 1024;

export const keyPlaceOf = ({ store, use }: Pick<Head, 'store' | 'use'>): string => `journal/${store}/${use}`;

export function packHead({ store, use, sealedKey }: Head): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const text = Buffer.from(JSON.stringify({ store, use, key: Buffer.from(sealedKey).toString('base64') }));
  if (HEAD_MAGIC.length + 2 + text.length + DIGEST > HEAD_BYTES) throw new Error('the head of a journal is too long');
  HEAD_MAGIC.copy(head);
  head.writeUInt16LE(text.length, HEAD_MAGIC.length);
  text.copy(head, HEAD_MAGIC.length + 2);
  hash('sha256', head.subarray(0, HEAD_BYTES - DIGEST), 'buffer').copy(head, HEAD_BYTES - DIGEST);
  return head;
}

/** Null where there is no whole head. */
export function unpackHead(bytes: Buffer): Head | null {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, HEAD_MAGIC.length).equals(HEAD_MAGIC)) return null;
  const told = bytes.subarray(HEAD_BYTES - DIGEST, HEAD_BYTES);
  if (!hash('sha256', bytes.subarray(0, HEAD_BYTES - DIGEST), 'buffer').equals(told)) return null;
  const from = HEAD_MAGIC.length + 2;
  const text = bytes.toString('utf8', from, from + bytes.readUInt16LE(HEAD_MAGIC.length));
  const { store, use, key } = JSON.parse(text) as { store: string; use: number; key: string };
  return { store, use, sealedKey: Buffer.from(key, 'base64') };
}

/** Whether a file begins with what none of ours does. An empty one, and one whose head was wiped or torn, does not. */
export function isForeignHead(bytes: Buffer): boolean {
  const begins = bytes.subarray(0, HEAD_MAGIC.length);
  return !begins.equals(HEAD_MAGIC.subarray(0, begins.length)) && begins.some((byte) => byte !== 0);
}

/** Bytes among the arguments stand behind the others, as they are: to serialize them would be to copy them twice. */
interface Plain {
  readonly args: unknown;
  readonly bytes: readonly (readonly [name: string, length: number])[];
}

function partsOf(args: unknown): readonly Uint8Array[] {
  if (!isObject(args)) return [serialize({ args, bytes: [] } satisfies Plain)];
  const given = Object.entries(args).filter((one): one is [string, Uint8Array] => one[1] instanceof Uint8Array);
  if (given.length === 0) return [serialize({ args, bytes: [] } satisfies Plain)];
  const others = Object.fromEntries(Object.entries(args).filter(([, value]) => !(value instanceof Uint8Array)));
  const bytes = given.map(([name, { byteLength }]): [string, number] => [name, byteLength]);
  return [serialize({ args: others, bytes } satisfies Plain), ...given.map(([, value]) => value)];
}

/** Length of the name, of what is serialized, and of the whole. */
const ENTRY_HEAD = 1 + 4 + 4;

/** An entry as it stands in a block, in parts. Throws for arguments that cannot be written down. */
export type PackedEntry = readonly Uint8Array[];

export function packEntry({ name, args }: Pick<Entry, 'name' | 'args'>): PackedEntry {
  const parts = partsOf(args);
  const head = Buffer.allocUnsafe(ENTRY_HEAD + name.length);
  head[0] = name.length;
  head.writeUInt32LE(parts[0]?.byteLength ?? 0, 1);
  head.writeUInt32LE(
    parts.reduce((sum, { byteLength }) => sum + byteLength, head.length),
    5,
  );
  head.write(name, ENTRY_HEAD, 'latin1');
  return [head, ...parts];
}

/** A block is bound to its use of the file and to its place in it, so that none can be moved. */
const bindingOf = (use: number, at: number, head: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${use} ${at}\n`), head.subarray(0, NONCE_AT)]);

/** To seal many small pieces takes longer than to put them together first. */
const SMALL_BYTES = 4 * 1024;

function joinSmall(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const join = (): void => {
    if (small.length > 0) joined.push(small.length === 1 ? (small[0] as Uint8Array) : Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.byteLength < SMALL_BYTES) {
      small.push(part);
      continue;
    }
    join();
    joined.push(part);
  }
  join();
  return joined;
}

/** In parts, which stand one behind the other. */
export function packBlock(
  key: KeyObject,
  { use, at, first }: Pick<BlockPlace, 'use' | 'at' | 'first'>,
  entries: readonly PackedEntry[],
  nonce: Uint8Array,
): readonly Buffer[] {
  const parts = entries.flat();
  const head = Buffer.allocUnsafe(BLOCK_HEAD);
  head.writeUInt32LE(BLOCK_MAGIC, 0);
  head.writeUInt32LE(
    parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    LENGTH_AT,
  );
  head.writeBigUInt64LE(BigInt(first), FIRST_AT);
  head.writeUInt32LE(entries.length, COUNT_AT);
  head.set(nonce, NONCE_AT);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(bindingOf(use, at, head));
  const sealed = joinSmall(parts).map((part) => cipher.update(part));
  cipher.final();
  cipher.getAuthTag().copy(head, TAG_AT);
  return [head, ...sealed];
}

/** How long the block is that begins with these bytes; null where none does, or it is longer than what there is. */
export function lengthOfBlock(bytes: Buffer, available: number): number | null {
  if (bytes.length < BLOCK_HEAD || bytes.readUInt32LE(0) !== BLOCK_MAGIC) return null;
  const length = BLOCK_HEAD + bytes.readUInt32LE(LENGTH_AT);
  return length > Math.min(available, BLOCK_BYTES_MAX) ? null : length;
}
export const BLOCK_HEAD_BYTES = BLOCK_HEAD;

/** As the head of a block says; only whoever opens it knows that it is true. */
export const placesOfBlock = (bytes: Buffer): Pick<BlockPlace, 'first' | 'count'> => ({
  first: Number(bytes.readBigUInt64LE(FIRST_AT)),
  count: bytes.readUInt32LE(COUNT_AT),
});

export interface OpenedBlock {
  readonly entries: readonly Entry[];
  /** What bytes among the arguments are a part of. */
  readonly memory: Uint8Array;
}

/** Null where it is not a block of this use at this place, or not all of it is there. */
export function unpackBlock(
  key: KeyObject,
  { use, at }: Pick<BlockPlace, 'use' | 'at'>,
  block: Buffer,
): OpenedBlock | null {
  if (lengthOfBlock(block, block.length) !== block.length) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, block.subarray(NONCE_AT, TAG_AT), { authTagLength: TAG });
  decipher.setAAD(bindingOf(use, at, block));
  decipher.setAuthTag(block.subarray(TAG_AT, BLOCK_HEAD));
  const plain = decipher.update(block.subarray(BLOCK_HEAD));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return { entries: entriesOf(plain, placesOfBlock(block)), memory: plain };
}

function entriesOf(plain: Buffer, { first, count }: Pick<BlockPlace, 'first' | 'count'>): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  for (let n = 0; n < count; n += 1) {
    const argsAt = at + ENTRY_HEAD + plain.readUInt8(at);
    const name = plain.toString('latin1', at + ENTRY_HEAD, argsAt);
    const bytesAt = argsAt + plain.readUInt32LE(at + 1);
    entries.push({ place: first + n, name, args: unpackArgs(plain, argsAt, bytesAt) });
    at += plain.readUInt32LE(at + 5);
  }
  return entries;
}

function unpackArgs(plain: Buffer, from: number, to: number): unknown {
  const { args, bytes } = deserialize(plain.subarray(from, to)) as Plain;
  if (bytes.length === 0) return args;
  let at = to;
  const given: Record<string, Uint8Array> = {};
  for (const [name, length] of bytes) {
    given[name] = plain.subarray(at, at + length);
    at += length;
  }
  return { ...(args as object), ...given };
}
