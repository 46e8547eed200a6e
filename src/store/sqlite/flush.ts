import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** What was written to a file, or which files are in a folder, is on the disk when this ends. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A file under its new name, also after a loss of power. */
export function renameForGood(from: string, to: string): void {
  renameSync(from, to);
  flush(dirname(to));
}
