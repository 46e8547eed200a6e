import type pg from 'pg';
import { errorCode, type Clock, type Log } from '../../kernel/index.ts';
import { checkIdentity, type IdentityRow, type StoreEnvironment } from '../identity.ts';
import { decideSteps, MIGRATIONS, type Applied } from '../migrations/index.ts';
import type { Vault } from '../vault.ts';
import { endClient } from './connect.ts';
import { checkDurable, explain, firstConnection } from './open-postgres.ts';

const NO_SUCH_TABLE = '42P01';

/** None where nobody has made the table yet. */
async function rowsOf<T extends pg.QueryResultRow>(client: pg.Client, sql: string): Promise<T[]> {
  try {
    return (await client.query<T>(sql)).rows;
  } catch (thrown) {
    if (errorCode(thrown) === NO_SUCH_TABLE) return [];
    throw thrown;
  }
}

/** What a start would find there, without touching it. Throws what the start would throw, and waits for nobody. */
export async function lookPostgres(
  url: string,
  vault: Vault,
  environment: StoreEnvironment,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  const client = await firstConnection(url, 'chartgate/look', clock, log, 0);
  try {
    await checkDurable(client);
    await client.query('SET default_transaction_read_only = on');
    const applied = await rowsOf<Applied & pg.QueryResultRow>(
      client,
      'SELECT version::integer AS version, digest FROM schema_step ORDER BY version',
    );
    const steps = decideSteps(MIGRATIONS, 'postgres', applied).length;
    const [row] = await rowsOf<IdentityRow & pg.QueryResultRow>(
      client,
      'SELECT id, pseudonym, environment FROM store_identity',
    );
    const used = await rowsOf<{ id: string }>(client, 'SELECT id FROM store_key');
    if (row !== undefined)
      checkIdentity(
        vault,
        row,
        used.map(({ id }) => id),
        environment,
      );
    const [said] = await rowsOf<{ server_version: string }>(client, 'SHOW server_version');
    return { version: said?.server_version ?? null, applied: applied.length, steps };
  } catch (thrown) {
    throw explain(thrown);
  } finally {
    await endClient(client);
  }
}
