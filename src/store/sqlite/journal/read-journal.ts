import { closeSync, fstatSync, openSync } from 'node:fs';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { dropBytes, StartError } from '../../../kernel/index.ts';
import type { Sealer } from '../../vault.ts';
import {
  BLOCK_BEGINS,
  BLOCK_HEAD_BYTES,
  HEAD_BYTES,
  isForeignHead,
  keyPlaceOf,
  lengthOfBlock,
  unpackBlock,
  unpackHead,
  type BlockPlace,
  type Head,
  type OpenedBlock,
} from './format.ts';
import { journalNames } from './journal-names.ts';
import { lastPlaceOf } from './last-place.ts';
import { readAt } from './read-at.ts';

/** A damaged file is searched in pieces of this size. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
/** Which uses of files a reader remembers the keys of. */
const KEYS_MAX = 4;

const lastOf = ({ first, count }: BlockPlace): number => first + count - 1;

const damaged = (): StartError =>
  new StartError(
    'store.journal',
    'What was acknowledged last stands in the journal beside the database, and a part of it cannot be read. Put the files of the disk back as they were, and the data keys of that time beside the new ones; to go on without that part, put the two journal files aside.',
  );

/** The journal as the writer reads it, by the places that it is told, and at a start from its beginning to its end. */
export function openJournalReader(database: string, vault: Sealer, store: string) {
  const fds = journalNames(database).map((path) => openSync(path, 'r'));
  const keys = new Map<number, KeyObject>();

  /** Null where the data key of that time is not there. */
  function openKey(head: Head): KeyObject | null {
    try {
      return createSecretKey(vault.open(head.sealedKey, keyPlaceOf(head)));
    } catch {
      return null;
    }
  }

  function keyOf({ file, use }: BlockPlace): KeyObject {
    const known = keys.get(use);
    if (known !== undefined) return known;
    const head = unpackHead(readAt(fds[file] ?? -1, 0, HEAD_BYTES));
    const key = head?.use === use ? openKey(head) : null;
    if (key === null) throw damaged();
    if (keys.size >= KEYS_MAX) keys.clear();
    keys.set(use, key);
    return key;
  }

  /** Where the next block of this use begins behind what is none; null where no more follow. */
  function findBlock(fd: number, key: KeyObject, use: number, from: number, end: number): number | null {
    for (let at = from; at < end; at += SEARCHED_BYTES) {
      const some = readAt(fd, at, SEARCHED_BYTES + BLOCK_BEGINS.length - 1);
      for (let i = some.indexOf(BLOCK_BEGINS); i >= 0; i = some.indexOf(BLOCK_BEGINS, i + 1))
        if (openBlock(fd, key, use, at + i, end) !== null) return at + i;
    }
    return null;
  }

  /** Null where none begins there. */
  function openBlock(fd: number, key: KeyObject, use: number, at: number, end: number) {
    const bytes = lengthOfBlock(readAt(fd, at, BLOCK_HEAD_BYTES), end - at);
    if (bytes === null) return null;
    const block = readAt(fd, at, bytes);
    const opened = unpackBlock(key, { use, at }, block);
    const [entry] = opened?.entries ?? [];
    const place = entry && { use, at, bytes, first: entry.place, count: opened?.entries.length ?? 0 };
    for (const memory of [block, opened?.memory]) if (memory !== undefined) dropBytes(memory);
    return place ?? null;
  }

  /**
   * The whole blocks of the last use of a file. What was torn at the end was never acknowledged; what was damaged in
   * between was, and is missing in what this gives.
   */
  function blocksOf(fd: number, file: number, carried: number): readonly BlockPlace[] {
    const begins = readAt(fd, 0, HEAD_BYTES);
    const head = unpackHead(begins);
    if (head === null) {
      if (isForeignHead(begins)) throw damaged();
      return [];
    }
    if (head.store !== store)
      throw new StartError(
        'store.journal',
        'The journal files beside the database are those of another one. Put them aside, or back to where they belong.',
      );
    const key = openKey(head);
    if (key === null) {
      // It may have left since: what is carried out is wanted no more.
      if (lastPlaceOf(fd) <= carried) return [];
      throw damaged();
    }
    const end = fstatSync(fd).size;
    const blocks: BlockPlace[] = [];
    for (let at: number | null = HEAD_BYTES; at !== null;) {
      const block = openBlock(fd, key, head.use, at, end);
      if (block === null) at = findBlock(fd, key, head.use, at + 1, end);
      else {
        blocks.push({ file, ...block });
        at += block.bytes;
      }
    }
    return blocks;
  }

  return {
    /** Throws where the block is not there as it was written. */
    read(place: BlockPlace): OpenedBlock {
      const block = readAt(fds[place.file] ?? -1, place.at, place.bytes);
      const opened = unpackBlock(keyOf(place), place, block);
      dropBytes(block);
      if (opened === null) throw damaged();
      return opened;
    },
    /**
     * At a start: what was acknowledged behind this place. Throws a StartError where something between is missing, so
     * that nothing is left out in silence.
     */
    blocksAfter(place: number): readonly BlockPlace[] {
      const [older = [], newer = []] = fds
        .map((fd, file) => blocksOf(fd, file, place))
        .toSorted(([a], [b]) => (a?.use ?? 0) - (b?.use ?? 0));
      // Where both have an entry of one place, that of the older file was refused: its disk was full.
      const refusedFrom = newer[0]?.first ?? Infinity;
      const all = [...older.filter(({ first }) => first < refusedFrom), ...newer];
      const waiting = all.filter((block) => lastOf(block) > place);
      let expected = place + 1;
      for (const block of waiting) {
        if (block.first > expected) throw damaged();
        expected = lastOf(block) + 1;
      }
      return waiting;
    },
    close: (): void => fds.forEach((fd) => closeSync(fd)),
  };
}
export type JournalReader = ReturnType<typeof openJournalReader>;
