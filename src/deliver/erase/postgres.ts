import { appendPostgres } from '../../audit/index.ts';
import { forgetUserPostgres, holdUserPostgres } from '../../identity/index.ts';
import { movePostgres } from '../../inbox/index.ts';
import { userIndex, type PostgresContext, type PostgresOperations } from '../../store/index.ts';
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
  UNDONE,
  UNDONE_IDS,
  WAITING,
  type Counted,
} from './tables.ts';

const count = async ({ db }: PostgresContext, sql: string | null, tenant: string, index: Uint8Array): Promise<number> =>
  sql === null ? 0 : Number((await db.get(sql, tenant, index))?.['n']);

/** Who reads the ledger later finds the name, and that nobody knows the id. */
async function forgetIds(context: PostgresContext, tenant: string, index: Uint8Array, limit: number): Promise<number> {
  const { db, vault } = context;
  const rows = await db.all(UNDONE_IDS, tenant, index, limit);
  for (const row of rows)
    await db.run(
      'UPDATE written_resource SET resource_id_sealed = $1 WHERE tenant = $2 AND target = $3 AND patient_index = $4 AND name = $5',
      sealId(vault, 'written_resource', { name: nameOf(row), id: null }),
      tenant,
      TARGET,
      row['patient_index'],
      row['name'],
    );
  return rows.length;
}

export const writes: PostgresOperations<EraseWrites> = {
  'erase.some': async (context, { user: { client, user }, limit, ...act }) => {
    const index = userIndex(context.vault, client, user);
    const rows = await context.db.all(UNDONE, act.tenant, index, limit);
    for (const row of rows) {
      if (WAITING.includes(row['state'])) await movePostgres(context, [discardOf(act, row)]);
      for (const sql of DESTROY) await context.db.run(sql, Number(row['seq']));
    }
    return rows.length === 0 ? forgetIds(context, act.tenant, index, limit) : rows.length;
  },
  'erase.finish': async (context, { user, counts, ...act }) => {
    const { index } = await holdUserPostgres(context, act.tenant, user, act.at);
    if ((await count(context, LIVE_LINKS, act.tenant, index)) > 0) return 'linked';
    if ((await count(context, MOVING, act.tenant, index)) > 0) return 'busy';
    if ((await context.db.all(UNDONE, act.tenant, index, 1)).length > 0) return 'more';
    await forgetUserPostgres(context, act.tenant, index);
    await context.db.run(
      `INSERT INTO user_key (tenant, user_index, key_sealed, made_at, erased_at) VALUES ($1, $2, NULL, $3, $3)
       ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = NULL, erased_at = excluded.erased_at`,
      act.tenant,
      index,
      act.at.getTime(),
    );
    await appendPostgres(context, [auditOfErasure(context.vault, act, user, counts)]);
    return 'done';
  },
};

export const reads: PostgresOperations<EraseReads> = {
  'erase.look': async (context, { tenant, user: { client, user } }) => {
    const index = userIndex(context.vault, client, user);
    const counts: Counted[] = [];
    for (const { table, what, held, left, why } of TABLES)
      counts.push({
        table,
        what,
        held: await count(context, held, tenant, index),
        left: await count(context, left, tenant, index),
        why,
      });
    const at = (await context.db.get(ERASED_AT, tenant, index))?.['erased_at'];
    const erasedAt = typeof at === 'number' ? at : null;
    return {
      isKnown: isKnownBy(counts, erasedAt),
      erasedAt,
      links: await count(context, LIVE_LINKS, tenant, index),
      moving: await count(context, MOVING, tenant, index),
      counts,
    };
  },
};
