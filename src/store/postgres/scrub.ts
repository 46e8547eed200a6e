import pg from 'pg';
import { clientConfig, endClient } from './connect.ts';

/** One row a user: written anew in a moment, during which nobody else gets at them. */
const SMALL = [
  'user_key',
  'unclaimed_key',
  'source_user',
  'link',
  'enrolled_user',
  'enrolled_patient',
  'source_connection',
  'source_request',
];
/** What they held is sealed under keys that are gone, or was overwritten; their dead rows are freed. */
const LARGE = ['delivery', 'delivery_body', 'delivery_digest', 'document', 'written_resource', 'foreign_change', 'attempt'];
const STATEMENT_MS = 600_000;

/** A deleted row stays in its file until the table is vacuumed, and its bytes until the table is written anew. */
export async function scrubPostgres(url: string, name: string): Promise<'done' | 'partly'> {
  const client = new pg.Client({ ...clientConfig(url, name), statement_timeout: STATEMENT_MS, query_timeout: STATEMENT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const table of SMALL) await client.query(`VACUUM (FULL) ${table}`);
    for (const table of LARGE) await client.query(`VACUUM ${table}`);
    return 'done';
  } catch {
    return 'partly';
  } finally {
    void endClient(client);
  }
}
