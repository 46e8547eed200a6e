import type { CommandContext } from './commands.ts';
import { openKey, rememberKey } from './opened-keys.ts';
import { get, run, type Program } from './sql/statement.ts';
import type { Sealer, Vault } from './vault.ts';

/*
 * A key for each source user, stored sealed by the data key. Whatever is sealed under it, or under a key that is sealed
 * under it, is gone for good when its row is emptied.
 */

type Row = Readonly<Record<string, unknown>>;

/** `erased`: the user's key was destroyed, and nobody has connected the user anew. */
export type UserSealer = Sealer | 'erased';

export const keyPlace = (index: Uint8Array): string => `user_key.key_sealed/${Buffer.from(index).toString('hex')}`;

/** The user's own sealer, from the sealed key of its row. Throws where there is none any more. */
export const openUserKey = (vault: Vault, index: Uint8Array, keySealed: unknown): Sealer =>
  vault.under(vault.open(keySealed as Uint8Array, keyPlace(index)));

/** The same, of a user whose deliveries come one after the other. */
function openAgain(context: CommandContext, index: Uint8Array, keySealed: Uint8Array): Sealer {
  const opened = openKey(context, context.vault, keySealed, keyPlace(index));
  rememberKey(context, keySealed, keyPlace(index), opened);
  return opened.sealer;
}

/** What the row says; null where a key is to be made. */
function read(context: CommandContext, index: Uint8Array, row: Row | undefined): UserSealer | null {
  if (row === undefined) return null;
  if (row['erased_at'] !== null) return 'erased';
  return row['key_sealed'] === null ? null : openAgain(context, index, row['key_sealed'] as Uint8Array);
}

function* rowOf(tenant: string, index: Uint8Array): Program<Row | undefined> {
  return yield* get`SELECT key_sealed, erased_at FROM user_key WHERE tenant = ${tenant} AND user_index = ${index}`;
}

/**
 * By which what is the user's is sealed; the key is made where there is none yet. `row`: `key_sealed` and `erased_at` of
 * the user's key as they were just read, undefined where there was none.
 */
export function* userSealer(
  context: CommandContext,
  tenant: string,
  index: Uint8Array,
  at: Date,
  row: Row | undefined,
): Program<UserSealer> {
  const { vault } = context;
  const known = read(context, index, row);
  if (known !== null) return known;
  // Whoever comes first has made it; the others take that one.
  yield* run`
    INSERT INTO user_key (tenant, user_index, key_sealed, made_at)
    VALUES (${tenant}, ${index}, ${vault.seal(vault.makeKey(), keyPlace(index))}, ${at.getTime()})
    ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = coalesce(user_key.key_sealed, excluded.key_sealed)`;
  const made = read(context, index, yield* rowOf(tenant, index));
  if (made === null) throw new Error('the key of the user was not kept');
  return made;
}

/** An operator connects the user anew: what comes from now on is taken, under a new key. */
export function* liftErasure(tenant: string, index: Uint8Array): Program<void> {
  yield* run`UPDATE user_key SET erased_at = NULL WHERE erased_at IS NOT NULL AND tenant = ${tenant}
    AND user_index = ${index}`;
}

export function* isErased(tenant: string, index: Uint8Array): Program<boolean> {
  const row = yield* get`
    SELECT 1 AS one FROM user_key WHERE erased_at IS NOT NULL AND tenant = ${tenant} AND user_index = ${index}`;
  return row !== undefined;
}
