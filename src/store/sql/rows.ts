/** PostgreSQL must be told the type of a value where nothing beside it has one. */
export type ColumnType = 'text' | 'bigint' | 'int' | 'bytea' | 'double precision';

/** A table and its columns, for rows that are inserted many at a time. */
export interface Rows<Column extends string, Common extends string = never> {
  /** Columns in which rows that are inserted together have the same value. They are bound once, before the others. */
  readonly common: readonly Common[];
  /** All others. */
  readonly columns: readonly Column[];
  /** So many rows, with a place for each common column and for each column of each row. */
  readonly sqlite: (count: number) => string;
  /** All rows, with one array for each column. */
  readonly postgres: string;
}

type Types<Column extends string> = Readonly<Record<Column, ColumnType>>;

/** `tail` follows the values: `ON CONFLICT …`. */
export function rowsOf<Column extends string, Common extends string = never>(
  table: string,
  types: Types<Column>,
  tail = '',
  commonTypes: Types<Common> = {} as Types<Common>,
): Rows<Column, Common> {
  const common = Object.keys(commonTypes) as Common[];
  const columns = Object.keys(types) as Column[];
  const head = `INSERT INTO ${table} (${[...common, ...columns].join(', ')})`;
  const same = common.map((column, i) => `$${i + 1}::${commonTypes[column]}`);
  const arrays = columns.map((column, i) => `$${common.length + i + 1}::${types[column]}[]`);
  /**
   * A common value is bound in the first row, and named by its number in the others. All others have no number: SQLite
   * looks a numbered place up in a list of all of them.
   */
  const row = (n: number): string => {
    const [shared, own] = [common.map((_, i) => (n === 0 ? '?' : `?${i + 1}`)), columns.map(() => '?')];
    return `(${[...shared, ...own].join(', ')})`;
  };
  const texts: string[] = [];
  return {
    common,
    columns,
    sqlite: (count) =>
      (texts[count] ??= `${head} VALUES ${Array.from({ length: count }, (_, n) => row(n)).join(', ')} ${tail}`),
    // Without a condition ON CONFLICT would be read as part of a join.
    postgres: `${head} SELECT ${[...same, '*'].join(', ')} FROM unnest(${arrays.join(', ')}) WHERE true ${tail}`,
  };
}

/** A table of counters: what tells one from another, and its `count`. */
export const countersOf = <Key extends string>(
  table: string,
  key: Readonly<Record<Key, ColumnType>>,
): Rows<Key | 'count'> =>
  rowsOf<Key | 'count'>(
    table,
    { ...key, count: 'bigint' },
    `ON CONFLICT (${Object.keys(key).join(', ')}) DO UPDATE SET count = ${table}.count + excluded.count`,
  );
