import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError, errorCode } from '../../kernel/index.ts';
import { checkIdentity, makeIdentity, type IdentityRow, type StoreEnvironment } from '../identity.ts';
import { BOOKKEEPING, decideSteps, type Applied, type Migration } from '../migrations/index.ts';
import { HAS_AUDIT, KEPT, missingKeys, NOBODY, toKeptRows, withKeptKeys } from '../kept-keys.ts';
import { checkNotRetired, fromNote, NOTE } from '../reseal/note.ts';
import type { Vault, VaultKeys } from '../vault.ts';

/** Any constant: replicas that start together migrate one after the other. */
const MIGRATION_LOCK = 0x63686172;

/** A step may take its time, and so may another replica's; nothing else may. */
const STEP_MS = 3_600_000;
const LOCK_EVERY_MS = 200;

async function takeLock(client: pg.Client): Promise<void> {
  const until = performance.now() + STEP_MS;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [MIGRATION_LOCK]);
    if (rows[0]?.held === true) return;
    if (performance.now() > until)
      throw new StartError(
        'store.migration',
        'Another replica has been changing the schema for an hour. Look at it first.',
      );
    await pause(LOCK_EVERY_MS);
  }
}

/** Each step commits together with its own mark; the lock is the session's, so a killed replica lets go of it. */
export async function migrate(client: pg.Client, migrations: readonly Migration[], nowMs: number): Promise<string[]> {
  await takeLock(client);
  try {
    await client.query(BOOKKEEPING.postgres);
    const { rows } = await client.query<Applied>(
      'SELECT version::integer AS version, digest FROM schema_step ORDER BY version',
    );
    const steps = decideSteps(migrations, 'postgres', rows);
    for (const step of steps) {
      await client.query('BEGIN');
      try {
        await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
        await client.query({ text: step.sql, query_timeout: STEP_MS } as pg.QueryConfig);
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
export async function settleIdentity(
  client: pg.Client,
  vault: Vault,
  newId: string,
  environment: StoreEnvironment,
  nowMs: number,
): Promise<string> {
  const made = makeIdentity(vault, newId, environment);
  await client.query(
    'INSERT INTO store_identity (one, id, pseudonym, environment, beat_at) VALUES (1, $1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [made.id, made.pseudonym, made.environment, nowMs],
  );
  const { rows } = await client.query<IdentityRow>('SELECT id, pseudonym, environment FROM store_identity');
  const used = await client.query<{ id: string }>('SELECT id FROM store_key');
  const [row] = rows;
  if (row === undefined) throw new Error('store_identity has no row');
  checkIdentity(
    vault,
    row,
    used.rows.map(({ id }) => id),
    environment,
  );
  const note = await client.query<Record<string, unknown>>(`${NOTE.read} $1 AND user_index = $2`, [...NOTE.owner]);
  checkNotRetired(fromNote(note.rows[0]), vault.keyId);
  await client.query('INSERT INTO store_key (id, first_used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    vault.keyId,
    nowMs,
  ]);
  return row.id;
}

/** The vault with all keys, those that are stored included; whoever comes first has made them. */
export async function settleKeptKeys(client: pg.Client, vault: Vault, keys: VaultKeys, nowMs: number): Promise<Vault> {
  const rows = async () => toKeptRows((await client.query<Record<string, unknown>>(KEPT)).rows);
  const used = await client.query<{ id: string }>('SELECT id FROM store_key');
  const hasAudit = (await client.query(HAS_AUDIT)).rows.length > 0;
  const ids = used.rows.map(({ id }) => id);
  for (const { index, sealed } of missingKeys(vault, keys, await rows(), ids, hasAudit))
    await client.query(
      'INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [NOBODY, index, sealed, nowMs],
    );
  return withKeptKeys(keys, await rows());
}

const NO_SUCH_TABLE = '42P01';

/** Null where this is not one of our databases at all. */
export async function readIdentity(client: pg.Client): Promise<string | null> {
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM store_identity');
    return rows[0]?.id ?? null;
  } catch (thrown) {
    if (errorCode(thrown) === NO_SUCH_TABLE) return null;
    throw thrown;
  }
}
