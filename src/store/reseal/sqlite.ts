import type { SqliteContext, SqliteOperations, SqlValue } from '../commands.ts';
import type { ResealReads, ResealWrites } from './commands.ts';
import { fromNote, NOTE, toDataKeys, toNote } from './note.ts';
import { oldValues, pageSql, sealAnew, updateSql, walkedOf, type Walk } from './sealed-table.ts';

const mark = (n: number): string => `?${n}`;

const pageOf = ({ db }: SqliteContext, { of, after, limit }: Walk) =>
  db.all(pageSql(of, after === null, mark), ...((after ?? []) as SqlValue[]), limit);

export const writes: SqliteOperations<ResealWrites> = {
  'reseal.note': ({ db }, note) => {
    db.run(
      `INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = ?3, made_at = ?4`,
      ...NOTE.owner,
      toNote(note),
      note.atMs,
    );
    return null;
  },
  'reseal.walk': (context, walk) => {
    const rows = pageOf(context, walk);
    const anew = sealAnew(walk, rows, context.vault);
    for (const { column, key, sealed, was } of anew)
      context.db.run(updateSql(walk.of, column, mark), sealed, was, ...(key as SqlValue[]));
    return walkedOf(walk, rows, anew.length);
  },
  // One process a database, and that is this one.
  'reseal.in-use': () => [],
  'reseal.retire': ({ db }, { ids }) => {
    for (const id of ids) db.run('DELETE FROM store_key WHERE id = ?', id);
    return null;
  },
};

export const reads: SqliteOperations<ResealReads> = {
  'reseal.keys': ({ db, vault }) =>
    toDataKeys(
      vault.keyId,
      db.all('SELECT id FROM store_key ORDER BY first_used_at, id'),
      fromNote(db.get(`${NOTE.read} ? AND user_index = ?`, ...NOTE.owner)),
    ),
  'reseal.count': (context, walk) => {
    const rows = pageOf(context, walk);
    return walkedOf(walk, rows, oldValues(walk, rows, context.vault).length);
  },
  'reseal.rows': ({ db }, { tables }) =>
    tables.reduce((sum, table) => sum + Number(db.get(`SELECT count(*) AS n FROM ${table}`)?.['n']), 0),
};
