import type { SqliteOperations } from '../commands.ts';
import type { OwnReads, OwnWrites } from '../own-commands.ts';

export const writes: SqliteOperations<OwnWrites> = {
  'store.beat': ({ db }, { nowMs }) => {
    db.run('UPDATE store_identity SET beat_at = ?', nowMs);
    return null;
  },
};

export const reads: SqliteOperations<OwnReads> = {};
