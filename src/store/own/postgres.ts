import type { PostgresOperations } from '../commands.ts';
import type { OwnReads, OwnWrites } from '../own-commands.ts';

export const writes: PostgresOperations<OwnWrites> = {
  'store.beat': async ({ db }, { nowMs }) => {
    await db.run('UPDATE store_identity SET beat_at = $1', nowMs);
    return null;
  },
};

export const reads: PostgresOperations<OwnReads> = {};
