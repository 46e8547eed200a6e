import type pg from 'pg';
import { sqlState } from './errors.ts';

/*
 * What must hold for a commit to be a promise. `synchronous_commit` belongs to the session: ours have it on, whatever
 * the server, the database or the role says, unless they say something stronger. The others belong to the server, and
 * may change under us.
 */
const KEPT = `CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END`;
const HOLDS = `current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
  AND current_setting('synchronous_commit') IN ('on', 'remote_apply')`;

/** For a session that commits by itself. */
export const ALWAYS_DURABLE = `SELECT set_config('synchronous_commit', ${KEPT}, false)`;

/**
 * One message, and a server reads its configuration anew only between messages: what is seen here holds for this
 * commit. A division by zero keeps the commit from being reached where something does not hold.
 */
export const COMMIT_DURABLY = `SELECT set_config('synchronous_commit', ${KEPT}, true); SELECT 1 / CASE WHEN ${HOLDS} THEN 1 ELSE 0 END; COMMIT`;
export const isRefusal = (thrown: unknown): boolean => sqlState(thrown) === '22012';

/** Why nothing is committed. */
export class Undurable extends Error {}

/** `null`: all of it holds. */
export async function findUndurable(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<Record<string, string | boolean>>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, pg_is_in_recovery() AS in_recovery`,
  );
  const [found = {}] = rows;
  if (found['fsync'] !== 'on') return 'fsync is off';
  if (found['full_page_writes'] !== 'on') return 'full_page_writes is off';
  return found['in_recovery'] === true ? 'the server is a standby' : null;
}
