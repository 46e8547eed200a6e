import type { Programs } from '../commands.ts';
import type { OwnReads, OwnWrites } from '../own-commands.ts';
import { all, get, part, run } from '../sql/statement.ts';

const FLAWS_MAX = 20;

const IS_OURS = part(
  "EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_identity')",
  "to_regclass('store_identity') IS NOT NULL",
);
const BROKEN_PAGES = part(
  "SELECT integrity_check AS flaw FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  "SELECT '' AS flaw WHERE false",
);
const STRAYS = part(
  'SELECT "table" AS name, count(*) AS n FROM pragma_foreign_key_check GROUP BY 1',
  "SELECT '' AS name, 0 AS n WHERE false",
);

export const writes: Programs<OwnWrites> = {
  *'store.beat'(_, { nowMs }) {
    yield* run`UPDATE store_identity SET beat_at = ${nowMs}`;
    return null;
  },
};

export const reads: Programs<OwnReads> = {
  *'store.about'() {
    const found = yield* get`SELECT ${IS_OURS} AS is_ours`;
    if (Number(found?.['is_ours']) === 0) return null;
    const identity = yield* get`SELECT id, environment, pseudonym FROM store_identity`;
    if (identity === undefined) return null;
    const schema = yield* get`SELECT max(version) AS version FROM schema_step`;
    const keys = yield* all`SELECT id FROM store_key ORDER BY id`;
    return {
      id: String(identity['id']),
      environment: String(identity['environment']),
      pseudonym: identity['pseudonym'] as Uint8Array,
      schema: Number(schema?.['version'] ?? 0),
      usedKeys: keys.map(({ id }) => String(id)),
    };
  },
  *'store.flaws'() {
    const pages = yield* all`${BROKEN_PAGES} LIMIT ${FLAWS_MAX}`;
    const strays = yield* all`${STRAYS} LIMIT ${FLAWS_MAX}`;
    return [
      ...pages.map(({ flaw }) => String(flaw)),
      ...strays.map(({ name, n }) => `${String(n)} rows of ${String(name)} refer to nothing`),
    ];
  },
};
