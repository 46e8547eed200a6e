import { closeSync, fstatSync, openSync } from 'node:fs';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { dropBytes, StartError } from '../../../kernel/index.ts';
import type { Sealer } from '../../vault.ts';
import {
  BLOCK_HEAD_BYTES,
  HEAD_BYTES,
  keyPlaceOf,
  lengthOfBlock,
  unpackBlock,
  unpackHead,
  type BlockPlace,
  type Head,
  type OpenedBlock,
} from './format.ts';
import { journalNames } from './journal-names.ts';
import { readAt } from './read-at.ts';

/** Which uses of files a reader remembers the keys of. */
const KEYS_MAX = 4;

const lastOf = ({ first, count }: BlockPlace): number => first + count - 1;

const damaged = (): StartError =>
  new StartError(
    'store.journal',
    'What was acknowledged last stands in the journal beside the database, and a part of it cannot be read. Put the files of the disk back as they were; to go on without that part, put the two journal files aside.',
  );

/** The journal as the writer reads it, by the places that it is told, and at a start from its beginning to its end. */
export function openJournalReader(database: string, vault: Sealer, store: string) {
  const fds = journalNames(database).map((path) => openSync(path, 'r'));
  const keys = new Map<number, KeyObject>();

  function openKey(head: Head): KeyObject {
    try {
      return createSecretKey(vault.open(head.sealedKey, keyPlaceOf(head)));
    } catch {
      throw damaged();
    }
  }

  function keyOf({ file, use }: BlockPlace): KeyObject {
    const known = keys.get(use);
    if (known !== undefined) return known;
    const head = unpackHead(readAt(fds[file] ?? -1, 0, HEAD_BYTES));
    if (head?.use !== use) throw damaged();
    const key = openKey(head);
    if (keys.size >= KEYS_MAX) keys.clear();
    keys.set(use, key);
    return key;
  }

  /** The whole blocks of the last use of a file. What follows them was never acknowledged. */
  function blocksOf(fd: number, file: number): readonly BlockPlace[] {
    const head = unpackHead(readAt(fd, 0, HEAD_BYTES));
    if (head === null) return [];
    if (head.store !== store)
      throw new StartError(
        'store.journal',
        'The journal files beside the database are those of another one. Put them aside, or back to where they belong.',
      );
    const key = openKey(head);
    const end = fstatSync(fd).size;
    const blocks: BlockPlace[] = [];
    let expected = head.use;
    for (let at = HEAD_BYTES; ;) {
      const length = lengthOfBlock(readAt(fd, at, BLOCK_HEAD_BYTES), end - at);
      const opened = length === null ? null : unpackBlock(key, { use: head.use, at }, readAt(fd, at, length));
      if (length === null || opened?.entries[0]?.place !== expected) return blocks;
      const count = opened.entries.length;
      blocks.push({ file, use: head.use, at, bytes: length, first: expected, count });
      expected += count;
      at += length;
    }
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
      const all = fds.map(blocksOf).toSorted(([a], [b]) => (a?.use ?? 0) - (b?.use ?? 0));
      const waiting = all.flat().filter((block) => lastOf(block) > place);
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
