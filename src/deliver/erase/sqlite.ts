import { appendSqlite } from '../../audit/index.ts';
import { forgetUserSqlite, holdUserSqlite } from '../../identity/index.ts';
import { moveSqlite } from '../../inbox/index.ts';
import { userIndex, type SqliteContext, type SqliteOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import { nameOf, sealId } from '../lane/rows.ts';
import type { EraseReads, EraseWrites } from './commands.ts';
import {
  auditOfErasure,
  DESTROY,
  discardOf,
  ERASED_AT,
  isKnownBy,
  LIVE_LINKS,
  MOVING,
  TABLES,
  toSqlite,
  UNDONE,
  UNDONE_IDS,
  WAITING,
} from './tables.ts';

const count = ({ db }: SqliteContext, sql: string | null, tenant: string, index: Uint8Array): number =>
  sql === null ? 0 : Number(db.get(toSqlite(sql), tenant, index)?.['n']);

/** Who reads the ledger later finds the name, and that nobody knows the id. */
function forgetIds(context: SqliteContext, tenant: string, index: Uint8Array, limit: number): number {
  const { db, vault } = context;
  const rows = db.all(toSqlite(UNDONE_IDS), tenant, index, limit);
  for (const row of rows)
    db.run(
      'UPDATE written_resource SET resource_id_sealed = ? WHERE tenant = ? AND target = ? AND patient_index = ? AND name = ?',
      sealId(vault, 'written_resource', { name: nameOf(row), id: null }),
      tenant,
      TARGET,
      row['patient_index'] as Uint8Array,
      row['name'] as Uint8Array,
    );
  return rows.length;
}

export const writes: SqliteOperations<EraseWrites> = {
  'erase.some': (context, { user: { client, user }, limit, ...act }) => {
    const index = userIndex(context.vault, client, user);
    const rows = context.db.all(toSqlite(UNDONE), act.tenant, index, limit);
    for (const row of rows) {
      if (WAITING.includes(row['state'])) moveSqlite(context, discardOf(act, row));
      for (const sql of DESTROY) context.db.run(toSqlite(sql), Number(row['seq']));
    }
    return rows.length === 0 ? forgetIds(context, act.tenant, index, limit) : rows.length;
  },
  'erase.finish': (context, { user, counts, ...act }) => {
    const { index } = holdUserSqlite(context, act.tenant, user, act.at);
    if (count(context, LIVE_LINKS, act.tenant, index) > 0) return 'linked';
    if (count(context, MOVING, act.tenant, index) > 0) return 'busy';
    if (context.db.all(toSqlite(UNDONE), act.tenant, index, 1).length > 0) return 'more';
    forgetUserSqlite(context, act.tenant, index);
    context.db.run(
      `INSERT INTO user_key (tenant, user_index, key_sealed, made_at, erased_at) VALUES (?1, ?2, NULL, ?3, ?3)
       ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = NULL, erased_at = ?3`,
      act.tenant,
      index,
      act.at.getTime(),
    );
    appendSqlite(context, auditOfErasure(context.vault, act, user, counts));
    return 'done';
  },
};

export const reads: SqliteOperations<EraseReads> = {
  'erase.look': (context, { tenant, user: { client, user } }) => {
    const index = userIndex(context.vault, client, user);
    const counts = TABLES.map(({ table, what, held, left, why }) => ({
      table,
      what,
      held: count(context, held, tenant, index),
      left: count(context, left, tenant, index),
      why,
    }));
    const at = context.db.get(toSqlite(ERASED_AT), tenant, index)?.['erased_at'];
    const erasedAt = typeof at === 'number' ? at : null;
    return {
      isKnown: isKnownBy(counts, erasedAt),
      erasedAt,
      links: count(context, LIVE_LINKS, tenant, index),
      moving: count(context, MOVING, tenant, index),
      counts,
    };
  },
};
