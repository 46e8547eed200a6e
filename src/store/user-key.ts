import type { PostgresContext, SqliteContext } from './commands.ts';
import type { Sealer, Vault } from './vault.ts';

/*
 * A key for each source user, stored sealed by the data key. Whatever is sealed under it, or under a key that is sealed under it, is
 * gone for good when its row is emptied.
 */

type Row = Readonly<Record<string, unknown>>;

/** `erased`: the user's key was destroyed, and nobody has connected the user anew. */
export type UserSealer = Sealer | 'erased';

export const keyPlace = (index: Uint8Array): string => `user_key.key_sealed/${Buffer.from(index).toString('hex')}`;

/** The user's own sealer, from the sealed key of its row. Throws where there is none any more. */
export const openUserKey = (vault: Vault, index: Uint8Array, keySealed: unknown): Sealer =>
  vault.under(vault.open(keySealed as Uint8Array, keyPlace(index)));

/** What the row says; null where a key is to be made. */
function read(vault: Vault, index: Uint8Array, row: Row | undefined): UserSealer | null {
  if (row === undefined) return null;
  if (row['erased_at'] !== null) return 'erased';
  return row['key_sealed'] === null ? null : openUserKey(vault, index, row['key_sealed']);
}

export function userSealerSqlite({ db, vault }: SqliteContext, tenant: string, index: Uint8Array, at: Date): UserSealer {
  const row = db.get('SELECT key_sealed, erased_at FROM user_key WHERE tenant = ? AND user_index = ?', tenant, index);
  const known = read(vault, index, row);
  if (known !== null) return known;
  const key = vault.makeKey();
  db.run(
    `INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = ?3, made_at = ?4`,
    tenant,
    index,
    vault.seal(key, keyPlace(index)),
    at.getTime(),
  );
  return vault.under(key);
}

export async function userSealerPostgres(
  { db, vault }: PostgresContext,
  tenant: string,
  index: Uint8Array,
  at: Date,
): Promise<UserSealer> {
  const select = 'SELECT key_sealed, erased_at FROM user_key WHERE tenant = $1 AND user_index = $2';
  const known = read(vault, index, await db.get(select, tenant, index));
  if (known !== null) return known;
  // Whoever comes first has made it; the others take that one.
  await db.run(
    `INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = coalesce(user_key.key_sealed, excluded.key_sealed)`,
    tenant,
    index,
    vault.seal(vault.makeKey(), keyPlace(index)),
    at.getTime(),
  );
  const made = read(vault, index, await db.get(select, tenant, index));
  if (made === null) throw new Error('the key of the user was not kept');
  return made;
}

const LIFT = 'UPDATE user_key SET erased_at = NULL WHERE erased_at IS NOT NULL AND tenant =';
/** An operator connects the user anew: what comes from now on is taken, under a new key. */
export function liftErasureSqlite({ db }: SqliteContext, tenant: string, index: Uint8Array): void {
  db.run(`${LIFT} ? AND user_index = ?`, tenant, index);
}
export async function liftErasurePostgres({ db }: PostgresContext, tenant: string, index: Uint8Array): Promise<void> {
  await db.run(`${LIFT} $1 AND user_index = $2`, tenant, index);
}

const ERASED = 'SELECT 1 AS one FROM user_key WHERE erased_at IS NOT NULL AND tenant =';
export const isErasedSqlite = ({ db }: SqliteContext, tenant: string, index: Uint8Array): boolean =>
  db.get(`${ERASED} ? AND user_index = ?`, tenant, index) !== undefined;
export const isErasedPostgres = async ({ db }: PostgresContext, tenant: string, index: Uint8Array): Promise<boolean> =>
  (await db.get(`${ERASED} $1 AND user_index = $2`, tenant, index)) !== undefined;
