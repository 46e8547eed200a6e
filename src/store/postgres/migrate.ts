import type pg from 'pg';
import { checkIdentity, makeIdentity, type IdentityRow } from '../identity.ts';
import { BOOKKEEPING, decideSteps, type Applied, type Migration } from '../migrations/index.ts';
import type { Vault } from '../vault.ts';

/** Any constant: replicas that start together migrate one after the other. */
const MIGRATION_LOCK = 0x63686172;

/** Each step commits together with its own mark; the lock is the session's, so a killed replica lets go of it. */
export async function migrate(client: pg.Client, migrations: readonly Migration[], nowMs: number): Promise<string[]> {
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await client.query(BOOKKEEPING.postgres);
    const { rows } = await client.query<Applied>('SELECT version::integer AS version, digest FROM schema_step ORDER BY version');
    const steps = decideSteps(migrations, 'postgres', rows);
    for (const step of steps) {
      await client.query('BEGIN');
      try {
        await client.query(step.sql);
        await client.query('INSERT INTO schema_step (version, name, digest, applied_at) VALUES ($1, $2, $3, $4)', [
          step.version,
          step.name,
          step.digest,
          nowMs,
        ]);
        await client.query('COMMIT');
      } catch (thrown) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw thrown;
      }
    }
    return steps.map((step) => step.name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
}

/** The id of this database, made by the first replica that comes. */
export async function settleIdentity(client: pg.Client, vault: Vault, newId: string, nowMs: number): Promise<string> {
  const made = makeIdentity(vault, newId);
  await client.query(
    'INSERT INTO store_identity (one, id, sealed, pseudonym, beat_at) VALUES (1, $1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [made.id, made.sealed, made.pseudonym, nowMs],
  );
  const { rows } = await client.query<IdentityRow & { id: string }>('SELECT id, sealed, pseudonym FROM store_identity');
  const [row] = rows;
  if (row === undefined) throw new Error('store_identity has no row');
  checkIdentity(vault, row);
  return row.id;
}

export async function readIdentity(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM store_identity');
  return rows[0]?.id ?? null;
}
