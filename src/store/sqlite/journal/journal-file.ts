import { createSecretKey, type KeyObject } from 'node:crypto';
import { closeSync, constants, fdatasync, fstatSync, ftruncate, openSync, writev } from 'node:fs';
import { dropBytes, type Chance } from '../../../kernel/index.ts';
import type { Sealer } from '../../vault.ts';
import { HEAD_BYTES, keyPlaceOf, packBlock, packHead, type BlockPlace, type PackedEntry } from './format.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/**
 * On Linux a write to such a file is on the disk when it ends: one turn through the threads of libuv instead of two, each
 * of which waits for a processor where all of them are busy.
 */
const FLUSHES = process.platform === 'linux';
const HOW_TO_OPEN = FLUSHES ? constants.O_RDWR | constants.O_DSYNC : 'r+';

const flushed = (fd: number): Promise<void> =>
  FLUSHES
    ? Promise.resolve()
    : new Promise((resolve, reject) => fdatasync(fd, (error) => (error === null ? resolve() : reject(error))));

const cut = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => ftruncate(fd, 0, (error) => (error === null ? resolve() : reject(error))));

function put(fd: number, parts: readonly Buffer[], at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    writev(fd, parts, at, (error, count) => {
      const all = parts.reduce((sum, { length }) => sum + length, 0);
      if (error !== null) reject(error);
      else if (count === all) resolve();
      else put(fd, [Buffer.concat(parts).subarray(count)], at + count).then(resolve, reject);
    });
  });
}

/** On the disk when it resolves. */
async function write(fd: number, parts: readonly Buffer[], at: number): Promise<void> {
  await put(fd, parts, at);
  await flushed(fd);
}

/** One of the files of the journal, in its present use, if it has one. */
export interface JournalFile {
  /** The place of the first entry of this use; null before it has one. */
  use(): number | null;
  /** How far it is written. */
  end(): number;
  /** Whether something can be read in it: of its present use, or of one before it. */
  mayHold(): boolean;
  /** How many of its entries are not carried out. */
  waiting(): number;
  carriedOut(count: number): void;
  /** The next block is the first of a new use; whatever stands in the file is wanted no more. */
  renew(): void;
  /** Durable when it resolves. */
  append(entries: readonly PackedEntry[], first: number): Promise<Omit<BlockPlace, 'file'>>;
  /** What was in it can be read no more. */
  wipe(): Promise<void>;
  close(): void;
}

export function openJournalFile(
  path: string,
  deps: { readonly store: string; readonly vault: Sealer; readonly chance: Chance; readonly keptBytes: number },
): JournalFile {
  const { store, vault, chance } = deps;
  const fd = openSync(path, HOW_TO_OPEN);
  let present: { readonly use: number; readonly key: KeyObject } | null = null;
  let end = 0;
  let length = fstatSync(fd).size;
  let waiting = 0;

  function begin(use: number): { readonly use: number; readonly key: KeyObject; readonly head: Buffer } {
    const key = Buffer.from(chance(KEY_BYTES));
    const sealedKey = vault.seal(key, keyPlaceOf({ store, use }));
    return { use, key: createSecretKey(key), head: packHead({ store, use, sealedKey }) };
  }

  return {
    use: () => present?.use ?? null,
    end: () => end,
    mayHold: () => length > 0,
    waiting: () => waiting,
    carriedOut(count) {
      waiting -= count;
    },
    renew() {
      present = null;
    },
    async append(entries, first) {
      const begun = present === null ? begin(first) : null;
      const { use, key } = begun ?? (present as NonNullable<typeof present>);
      if (begun !== null && length > deps.keptBytes) {
        await cut(fd);
        length = 0;
      }
      const at = begun === null ? end : HEAD_BYTES;
      const block = packBlock(key, { use, at, first }, entries, chance(NONCE_BYTES));
      const bytes = block.reduce((sum, part) => sum + part.length, 0);
      // Also where it fails: any part of it may be there.
      length = Math.max(length, at + bytes);
      if (begun === null) await write(fd, block, at);
      else await write(fd, [begun.head, ...block], 0);
      block.forEach(dropBytes);
      present = { use, key };
      end = at + bytes;
      waiting += entries.length;
      return { use, at, bytes, first, count: entries.length };
    },
    async wipe() {
      await write(fd, [Buffer.alloc(HEAD_BYTES)], 0);
      await cut(fd);
      [present, end, length] = [null, 0, 0];
    },
    close: () => closeSync(fd),
  };
}
