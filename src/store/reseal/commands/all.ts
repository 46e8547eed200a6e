import type { Programs } from '../../commands.ts';
import { SEALING_LOCK, sealingLock } from '../../postgres/lock-sealing.ts';
import { all, among, get, part, run, typed, words } from '../../sql/statement.ts';
import type { ResealReads, ResealWrites } from '../commands.ts';
import { fromNote, NOTE, toDataKeys, toNote } from '../note.ts';
import { given } from '../sealed-table.ts';
import { count, walk } from './walk.ts';

/** Of more rows the server's guess is good enough. */
const COUNTED_MAX = 1_000_000;

const [NOBODY, NOTE_INDEX] = NOTE.owner;
const READ_NOTE = words(NOTE.read);
/** One process has the file of SQLite, and that is this one. */
const IS_FREE = part('true', 'pg_try_advisory_xact_lock(class, number)');
const ROWS_GUESSED = part('0', '(SELECT reltuples FROM pg_class WHERE oid = name::regclass)');

export const writes: Programs<ResealWrites> = {
  *'reseal.note'(_, note) {
    yield* run`
      INSERT INTO user_key (tenant, user_index, key_sealed, made_at)
      VALUES (${NOBODY}, ${NOTE_INDEX}, ${toNote(note)}, ${note.atMs})
      ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = excluded.key_sealed, made_at = excluded.made_at`;
    return null;
  },
  'reseal.walk': walk,
  *'reseal.in-use'(_, { ids }) {
    const used: string[] = [];
    for (const id of ids) {
      const row = yield* get`
        SELECT ${IS_FREE} AS is_free
        FROM (SELECT ${typed('int', SEALING_LOCK)} AS class, ${typed('int', sealingLock(id))} AS number) AS lock`;
      if (Number(row?.['is_free']) !== 1) used.push(id);
    }
    return used;
  },
  *'reseal.retire'(_, { ids }) {
    yield* run`DELETE FROM store_key WHERE id ${among('text', ids)}`;
    return null;
  },
};

export const reads: Programs<ResealReads> = {
  *'reseal.keys'({ vault }) {
    const ids = yield* all`SELECT id, first_used_at FROM store_key ORDER BY first_used_at, id`;
    const note = yield* get`${READ_NOTE} ${NOBODY} AND user_index = ${NOTE_INDEX}`;
    return toDataKeys(vault.keyId, ids, fromNote(note));
  },
  'reseal.count': count,
  *'reseal.rows'(_, { tables }) {
    let sum = 0;
    for (const table of tables) {
      const guess = yield* get`SELECT ${ROWS_GUESSED} AS n FROM (SELECT ${typed('text', table)} AS name) AS t`;
      const isGuessed = Number(guess?.['n']) > COUNTED_MAX;
      const row = isGuessed ? guess : yield* get`SELECT count(*) AS n FROM ${given(table)}`;
      sum += Number(row?.['n']);
    }
    return sum;
  },
};
