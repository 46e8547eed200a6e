import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, endClient } from './connect.ts';

/** A row a user, or less: written anew in a moment, during which nobody else gets at them. */
const SMALL = [
  'user_key',
  'unclaimed_key',
  'source_user',
  'link',
  'person',
  'enrolled_user',
  'enrolled_patient',
  'source_connection',
  'source_request',
];
/** What they held is sealed under keys that are gone, or was overwritten; their dead rows are freed. */
const LARGE = [
  'delivery',
  'delivery_body',
  'delivery_digest',
  'document',
  'written_document',
  'written_id',
  'foreign_change',
  'attempt',
];
const STATEMENT_MS = 600_000;
const [TRIES, AGAIN_MS] = [50, 100] as const;

/**
 * A table is written anew with rows that a transaction under way may still want to see: how many is told in a notice.
 */
async function rewrite(client: pg.Client, table: string): Promise<boolean> {
  let dead = 0;
  const notice = ({ detail = '' }: { detail?: string | undefined }): void => {
    dead += Number(/\d+/.exec(detail)?.[0] ?? 0);
  };
  client.on('notice', notice);
  try {
    await client.query(`VACUUM (FULL, VERBOSE) ${table}`);
  } finally {
    client.off('notice', notice);
  }
  return dead === 0;
}

/** A deleted row stays in its file until the table is vacuumed, and its bytes until the table is written anew. */
export async function scrubPostgres(url: string, name: string): Promise<'done' | 'partly'> {
  const client = new pg.Client({
    ...clientConfig(url, name),
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  client.on('error', () => undefined);
  let outcome: 'done' | 'partly' = 'done';
  try {
    await client.connect();
    for (const table of SMALL) {
      let isDone = await rewrite(client, table);
      for (let tries = 1; !isDone && tries < TRIES; tries += 1) {
        await pause(AGAIN_MS);
        isDone = await rewrite(client, table);
      }
      if (!isDone) outcome = 'partly';
    }
    for (const table of LARGE) await client.query(`VACUUM ${table}`);
    return outcome;
  } catch {
    return 'partly';
  } finally {
    void endClient(client);
  }
}
