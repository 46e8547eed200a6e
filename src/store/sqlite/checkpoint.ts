import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBeyondTrust } from './errors.ts';

const LARGE_BYTES = 16 * 1024 * 1024;
/** After a checkpoint that a reader stood in the way of. */
const AGAIN_MS = 1_000;
const BUSY_MS = 5_000;

/**
 * Moves the log into the file and cuts it off. The writer never waits for a reader: what cannot be done now is done a
 * moment later, and meanwhile the log grows.
 */
export function makeCheckpoint(db: DatabaseSync, file: string, onBroken: (thrown: unknown) => void) {
  let notBefore = 0;
  const walBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  return (when: 'if-large' | 'now'): void => {
    if (when === 'if-large' && (performance.now() < notBefore || walBytes() < LARGE_BYTES)) return;
    try {
      db.exec('PRAGMA busy_timeout=0');
      const done = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      if (Number(done?.['busy']) !== 0) notBefore = performance.now() + AGAIN_MS;
    } catch (thrown) {
      if (isBeyondTrust(thrown)) onBroken(thrown);
      notBefore = performance.now() + AGAIN_MS;
    } finally {
      db.exec(`PRAGMA busy_timeout=${BUSY_MS}`);
    }
  };
}
