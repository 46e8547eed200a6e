import type { PostgresContext, PostgresOperations } from '../commands.ts';
import { SEALING_LOCK, sealingLock } from '../postgres/hold-sealing.ts';
import type { ResealReads, ResealWrites } from './commands.ts';
import { fromNote, NOTE, toDataKeys, toNote } from './note.ts';
import { oldValues, pageSql, sealAnew, updateSql, walkedOf, type Walk } from './sealed-table.ts';

/** Of more rows the server's guess is good enough. */
const COUNTED_MAX = 1_000_000;

const mark = (n: number): string => `$${n}`;

const pageOf = ({ db }: PostgresContext, { of, after, limit }: Walk) =>
  db.all(pageSql(of, after === null, mark), ...(after ?? []), limit);

export const writes: PostgresOperations<ResealWrites> = {
  'reseal.note': async ({ db }, note) => {
    await db.run(
      `INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = excluded.key_sealed, made_at = excluded.made_at`,
      ...NOTE.owner,
      toNote(note),
      note.atMs,
    );
    return null;
  },
  'reseal.walk': async (context, walk) => {
    const rows = await pageOf(context, walk);
    const anew = sealAnew(walk, rows, context.vault);
    await Promise.all(
      anew.map(({ column, key, sealed, was }) => context.db.run(updateSql(walk.of, column, mark), sealed, was, ...key)),
    );
    return walkedOf(walk, rows, anew.length);
  },
  'reseal.in-use': async ({ db }, { ids }) => {
    const used: string[] = [];
    for (const id of ids) {
      const row = await db.get('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', SEALING_LOCK, sealingLock(id));
      if (row?.['is_free'] !== true) used.push(id);
    }
    return used;
  },
  'reseal.retire': async ({ db }, { ids }) => {
    await db.run('DELETE FROM store_key WHERE id = ANY($1::text[])', ids);
    return null;
  },
};

export const reads: PostgresOperations<ResealReads> = {
  'reseal.keys': async ({ db, vault }) =>
    toDataKeys(
      vault.keyId,
      await db.all('SELECT id FROM store_key ORDER BY first_used_at, id'),
      fromNote(await db.get(`${NOTE.read} $1 AND user_index = $2`, ...NOTE.owner)),
    ),
  'reseal.count': async (context, walk) => {
    const rows = await pageOf(context, walk);
    return walkedOf(walk, rows, oldValues(walk, rows, context.vault).length);
  },
  'reseal.rows': async ({ db }, { tables }) => {
    let sum = 0;
    for (const table of tables) {
      const guess = Number((await db.get('SELECT reltuples AS n FROM pg_class WHERE oid = $1::regclass', table))?.['n']);
      sum += guess > COUNTED_MAX ? guess : Number((await db.get(`SELECT count(*) AS n FROM ${table}`))?.['n']);
    }
    return sum;
  },
};
