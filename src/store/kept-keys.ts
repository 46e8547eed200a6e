import { keyPlace } from './user-key.ts';
import { idOf, makeVault, type KeptKeys, type Vault, type VaultKeys } from './vault.ts';

/*
 * Keys of the installation beside the data key, in rows of `user_key` that are nobody's: no tenant has an empty name.
 * The audit can only be proven as it was written, so what is sealed in it is sealed under a key of its own, which is
 * sealed by the data key as everything is and sealed anew when that changes. A database from before has particulars
 * that are sealed by a data key itself; that one is kept in the same way.
 */

export const NOBODY = '';
const PARTICULARS = Buffer.from('particulars');

interface KeptRow {
  readonly index: Uint8Array;
  readonly sealed: Uint8Array;
}
type Row = Readonly<Record<string, unknown>>;

export const KEPT = `SELECT user_index, key_sealed FROM user_key WHERE tenant = '${NOBODY}' AND key_sealed IS NOT NULL`;
export const HAS_AUDIT = 'SELECT 1 AS one FROM audit_record LIMIT 1';
export const toKeptRows = (rows: readonly Row[]): KeptRow[] =>
  rows.map((row) => ({ index: row['user_index'] as Uint8Array, sealed: row['key_sealed'] as Uint8Array }));

const isParticulars = ({ index }: KeptRow): boolean => Buffer.compare(index, PARTICULARS) === 0;

/**
 * What is to be stored at the first start; nothing where it is there. `usedKeys`: the data keys that sealed what is
 * stored.
 */
export function missingKeys(
  vault: Vault,
  keys: VaultKeys,
  rows: readonly KeptRow[],
  usedKeys: readonly string[],
  hasAudit: boolean,
): KeptRow[] {
  if (rows.some(isParticulars)) return [];
  const seal = (index: Uint8Array, key: Uint8Array): KeptRow => ({ index, sealed: vault.seal(key, keyPlace(index)) });
  const earlier = hasAudit ? keys.data.filter((key) => usedKeys.includes(idOf(key).toString('hex'))) : [];
  return [...earlier.map((key) => seal(idOf(key), key)), seal(PARTICULARS, vault.makeKey())];
}

/**
 * The vault with the keys that are stored; as it was where it has no key to open them, as that of somebody who only
 * looks.
 */
export function withKeptKeys(keys: VaultKeys, rows: readonly KeptRow[]): Vault {
  const vault = makeVault(keys);
  const own = Map.groupBy(
    rows.filter(({ sealed }) => vault.isOwn(sealed)),
    isParticulars,
  );
  const open = ({ index, sealed }: KeptRow): Uint8Array => vault.open(sealed, keyPlace(index));
  const [particulars] = own.get(true) ?? [];
  if (particulars === undefined) return vault;
  const kept: KeptKeys = { particulars: open(particulars), earlier: (own.get(false) ?? []).map(open) };
  return makeVault(keys, kept);
}
