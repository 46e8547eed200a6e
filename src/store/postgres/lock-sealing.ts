import type pg from 'pg';
import { checkNotRetired, fromNote, NOTE } from '../reseal/note.ts';

/** Any constant: the class of the locks below. */
export const SEALING_LOCK = 0x6b657973;

/** The number of the lock of a key. */
export const sealingLock = (keyId: string): number => Buffer.from(keyId, 'hex').readInt32BE();

/**
 * Every connection that writes holds a share of the lock of the key that it seals by, as long as it lives: whoever
 * retires a key sees that it is in use. The note is read after that, so that nobody can begin to seal by a key between
 * the look at its lock and its end. Throws a StartError.
 */
export async function lockSealing(client: pg.Client, keyId: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1, $2)', [SEALING_LOCK, sealingLock(keyId)]);
  const { rows } = await client.query<Record<string, unknown>>(`${NOTE.read} $1 AND user_index = $2`, [...NOTE.owner]);
  checkNotRetired(fromNote(rows[0]), keyId);
}
