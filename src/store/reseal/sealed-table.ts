import { all, allOf, fragment, listOf, words, type Fragment, type Program } from '../sql/statement.ts';
import type { Vault } from '../vault.ts';

/**
 * A table of which some columns are sealed by the data key. Each module tells of its own, beside the code that seals
 * them.
 */
export interface SealedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Its primary key, in whose order it is walked. */
  readonly key: readonly string[];
  /** The columns that name the row in the place of its values; bytes are named by their hexadecimal digits. */
  readonly place: readonly string[];
  /** What stands before them in the place, where it is not `table.column`. */
  readonly as?: string;
  /** A table `d` that knows the place. */
  readonly join?: string;
  /** Which rows can have values of the data key at all, where asking spares reading large values of the others. */
  readonly only?: string;
  /** How many rows are looked at together, where they are large. */
  readonly rowsPerPage?: number;
}

export type Cell = string | number | Uint8Array;
type Row = Readonly<Record<string, unknown>>;

export interface Walk {
  readonly of: SealedTable;
  /** The key of the last row that was looked at; null at the beginning. */
  readonly after: readonly Cell[] | null;
  readonly limit: number;
  /** The ids of the keys that are looked for. */
  readonly ids: readonly string[];
}

/** What one page of a walk has come upon. */
export interface Walked {
  /** Null at the end of the table. */
  readonly last: readonly Cell[] | null;
  readonly rows: number;
  /** Values that are sealed by one of those keys; after a walk, those that were sealed anew. */
  readonly found: number;
}

const qualified = (column: string): string => (column.includes('.') ? column : `t.${column}`);

/** Words that came as an argument. A fragment, since the text of a statement without any is remembered for good. */
export const given = (text: string): Fragment => fragment`${words(text)}`;

/** The rows behind the last that was looked at. */
export function pageOf({ of, after, limit }: Walk): Program<readonly Row[]> {
  const value = (column: string): string =>
    of.only === undefined ? `t.${column}` : `CASE WHEN ${of.only} THEN t.${column} END`;
  const keys = of.key.map((column) => `t.${column}`);
  const names = [
    ...keys.map((column, i) => `${column} AS k${i}`),
    ...of.place.map((column, i) => `${qualified(column)} AS p${i}`),
    ...of.columns.map((column, i) => `${value(column)} AS v${i}`),
  ];
  const order = given(keys.join(', '));
  const rows = given(`SELECT ${names.join(', ')} FROM ${of.table} t ${of.join ?? ''}`);
  const behind = after === null ? given('') : fragment`WHERE (${order}) > (${listOf(after)})`;
  return all`${rows} ${behind} ORDER BY ${order} LIMIT ${limit}`;
}

const toText = (cell: unknown): string =>
  cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell);

const keyOf = (of: SealedTable, row: Row): Cell[] => of.key.map((_, i) => row[`k${i}`] as Cell);

interface Old {
  readonly column: string;
  readonly key: readonly Cell[];
  readonly place: string;
  readonly was: Uint8Array;
}

/** The values of a page that are sealed by one of the keys. */
export function oldValues({ of, ids }: Walk, rows: readonly Row[], vault: Vault): Old[] {
  return rows.flatMap((row) =>
    of.columns.flatMap((column, i) => {
      const was = row[`v${i}`];
      if (!(was instanceof Uint8Array) || !ids.includes(vault.sealedBy(was) ?? '')) return [];
      const names = of.place.map((_, n) => toText(row[`p${n}`]));
      return [{ column, key: keyOf(of, row), place: `${of.as ?? `${of.table}.${column}`}/${names.join('/')}`, was }];
    }),
  );
}

interface Anew extends Old {
  readonly sealed: Buffer;
}

/**
 * The same, sealed by the key that seals now. A value that does not open is left as it is, and its key stays needed.
 */
export function sealAnew(walk: Walk, rows: readonly Row[], vault: Vault): Anew[] {
  return oldValues(walk, rows, vault).flatMap((old) => {
    let plain: Buffer;
    try {
      plain = vault.open(old.was, old.place);
    } catch {
      return [];
    }
    return [{ ...old, sealed: vault.seal(plain, old.place) }];
  });
}

const equals = (column: string, value: Cell): Fragment => fragment`${words(column)} = ${value}`;

/** Only while the value is the one that was read: what somebody else has written meanwhile is sealed by the new key. */
export function updateOf(of: SealedTable, { column, key, was, sealed }: Anew): Fragment {
  const isThere = [equals(column, was), ...of.key.map((name, i) => equals(name, key[i] as Cell))];
  return fragment`UPDATE ${given(of.table)} SET ${equals(column, sealed)} WHERE ${allOf(isThere)}`;
}

export const walkedOf = ({ of, limit }: Walk, rows: readonly Row[], found: number): Walked => {
  const end = rows.at(-1);
  return { last: end === undefined || rows.length < limit ? null : keyOf(of, end), rows: rows.length, found };
};

/** What was journaled and could not be carried out. */
export const ASIDE_TABLE: SealedTable = {
  table: 'journal_aside',
  columns: ['args_sealed'],
  key: ['place'],
  place: ['place'],
};

/** The keys of users, and those that are nobody's. */
export const KEY_TABLE: SealedTable = {
  table: 'user_key',
  columns: ['key_sealed'],
  key: ['tenant', 'user_index'],
  place: ['user_index'],
};
