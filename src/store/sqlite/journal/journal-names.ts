import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { flush } from '../flush.ts';
import { HEAD_BYTES } from './format.ts';

/** One is written while what stands in the other is carried out. */
export const journalNames = (database: string): readonly [string, string] => [
  `${database}-journal1`,
  `${database}-journal2`,
];

/** For us alone, and there after a loss of power. */
export function makeJournalFiles(database: string): void {
  for (const file of journalNames(database)) closeSync(openSync(file, 'a', 0o600));
  flush(dirname(database));
}

/** Once all of it is carried out: nothing of an earlier life can be read in them, nor asks for a key of that time. */
export function emptyJournalFiles(database: string): void {
  for (const file of journalNames(database)) {
    const fd = openSync(file, 'r+');
    try {
      if (fstatSync(fd).size === 0) continue;
      writeSync(fd, Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      fsyncSync(fd);
      ftruncateSync(fd, 0);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}
