import { closeSync, openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBeyondTrust } from './errors.ts';

/**
 * 32 MB: pages that many commits change are moved once. The writer stands still meanwhile, for some hundredths of a
 * second, in which acknowledgements go on by the journal. Below `journal_size_limit`.
 */
const LARGE_FRAMES = 8_192;
/** After a checkpoint that a reader stood in the way of. */
const AGAIN_MS = 1_000;
const BUSY_MS = 5_000;

/** Where the index of the log keeps how many frames are in it: https://sqlite.org/walformat.html, "mxFrame". */
const MX_FRAME_AT = 16;

/**
 * Moves the log into the file. Under load the log is begun anew and keeps its length, so that a flush has no new length
 * to record; when there is nothing to do it is cut off. The writer never waits for a reader: what cannot be done now is
 * done a moment later, and meanwhile the log grows.
 */
export function makeCheckpoint(db: DatabaseSync, file: string, onBroken: (thrown: unknown) => void) {
  const index = openSync(`${file}-shm`, 'r');
  const four = Buffer.alloc(4);
  let notBefore = 0;

  function framesInLog(): number {
    readSync(index, four, 0, 4, MX_FRAME_AT);
    // In the order of bytes of the machine that wrote it, which is this one.
    return new Uint32Array(four.buffer, four.byteOffset, 1)[0] ?? 0;
  }

  /** Whether all of it is done. */
  function checkpoint(mode: 'RESTART' | 'TRUNCATE'): boolean {
    try {
      db.exec('PRAGMA busy_timeout=0');
      const done = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      if (Number(done?.['busy']) === 0) return true;
      notBefore = performance.now() + AGAIN_MS;
    } catch (thrown) {
      if (isBeyondTrust(thrown)) onBroken(thrown);
      notBefore = performance.now() + AGAIN_MS;
    } finally {
      db.exec(`PRAGMA busy_timeout=${BUSY_MS}`);
    }
    return false;
  }

  return {
    ifLarge(): void {
      if (performance.now() >= notBefore && framesInLog() >= LARGE_FRAMES) checkpoint('RESTART');
    },
    whenIdle: (): void => void checkpoint('TRUNCATE'),
    now: (): boolean => checkpoint('TRUNCATE'),
    close: (): void => closeSync(index),
  };
}
