import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { BLOCK_HEAD_BYTES, HEAD_BYTES, lengthOfBlock, placesOfBlock, unpackHead } from './format.ts';
import { journalNames } from './journal-names.ts';
import { readAt } from './read-at.ts';

/** The place of the last entry of the present use of a file, as the heads of its blocks say; 0 where it has none. */
export function lastPlaceOf(fd: number): number {
  const head = unpackHead(readAt(fd, 0, HEAD_BYTES));
  if (head === null) return 0;
  const end = fstatSync(fd).size;
  let expected = head.use;
  for (let at = HEAD_BYTES; ;) {
    const block = readAt(fd, at, BLOCK_HEAD_BYTES);
    const length = lengthOfBlock(block, end - at);
    const { first, count } = length === null ? { first: 0, count: 0 } : placesOfBlock(block);
    if (length === null || first !== expected) return expected - 1;
    expected += count;
    at += length;
  }
}

/**
 * The place of the last entry in the journal beside a database, for whoever has no key to it; 0 where there is none. An
 * entry that was never acknowledged may be among them, at the end.
 */
export function lastJournaledPlace(database: string): number {
  const places = journalNames(database)
    .filter((path) => existsSync(path))
    .map((path) => {
      const fd = openSync(path, 'r');
      try {
        return lastPlaceOf(fd);
      } finally {
        closeSync(fd);
      }
    });
  return Math.max(0, ...places);
}
