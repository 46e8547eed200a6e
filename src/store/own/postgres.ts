import type { PostgresOperations } from '../commands.ts';
import { ABOUT, toAbout } from './about.ts';
import type { OwnReads, OwnWrites } from '../own-commands.ts';

export const writes: PostgresOperations<OwnWrites> = {
  'store.beat': async ({ db }, { nowMs }) => {
    await db.run('UPDATE store_identity SET beat_at = $1', nowMs);
    return null;
  },
};

export const reads: PostgresOperations<OwnReads> = {
  'store.about': async ({ db }) => {
    const found = await db.get("SELECT to_regclass('store_identity') IS NOT NULL AS is_ours");
    if (found?.['is_ours'] !== true) return null;
    return toAbout(await db.get(ABOUT.identity), await db.get(ABOUT.schema), await db.all(ABOUT.keys));
  },
  'store.flaws': () => Promise.resolve([]),
};
