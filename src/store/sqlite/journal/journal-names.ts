import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { flush } from '../flush.ts';

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
