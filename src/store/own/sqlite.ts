import type { SqliteOperations } from '../commands.ts';
import { ABOUT, toAbout } from './about.ts';
import type { OwnReads, OwnWrites } from '../own-commands.ts';

const FLAWS_MAX = 20;

export const writes: SqliteOperations<OwnWrites> = {
  'store.beat': ({ db }, { nowMs }) => {
    db.run('UPDATE store_identity SET beat_at = ?', nowMs);
    return null;
  },
};

export const reads: SqliteOperations<OwnReads> = {
  'store.about': ({ db }) => {
    if (db.get("SELECT 1 AS one FROM sqlite_schema WHERE type = 'table' AND name = 'store_identity'") === undefined) return null;
    return toAbout(db.get(ABOUT.identity), db.get(ABOUT.schema), db.all(ABOUT.keys));
  },
  'store.flaws': ({ db }) => {
    const pages = db.all('SELECT integrity_check AS flaw FROM pragma_integrity_check LIMIT ?', FLAWS_MAX);
    const strays = db.all('SELECT "table" AS name, count(*) AS n FROM pragma_foreign_key_check GROUP BY 1 LIMIT ?', FLAWS_MAX);
    return [
      ...pages.map(({ flaw }) => String(flaw)).filter((flaw) => flaw !== 'ok'),
      ...strays.map(({ name, n }) => `${String(n)} rows of ${String(name)} refer to nothing`),
    ];
  },
};
