import { STATES } from './0001-foundation/states.ts';
import type { Migration } from './migration.ts';

/*
 * For a list of more than two in a CHECK, SQLite makes a table for each row that is written, seven of them on the way of
 * a delivery. What is compared one by one needs none, and lets the same values through. PostgreSQL has no such trouble.
 *
 * The text of the schema is rewritten, as https://www.sqlite.org/lang_altertable.html#otheralter says for a change that
 * leaves every row as it is; building the tables anew would take minutes among millions of deliveries.
 */
const CHECKED: readonly { readonly table: string; readonly column: string; readonly list: string }[] = [
  { table: 'delivery', column: 'state', list: STATES },
  { table: 'delivery_digest', column: 'kind', list: `('data','notification','content')` },
  { table: 'job', column: 'state', list: `('queued','done','cancelled','parked')` },
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const oneByOne = (column: string, list: string): string =>
  list
    .slice(1, -1)
    .split(',')
    .map((value) => `${column} = ${value}`)
    .join(' OR ');

const rewritten = ({ table, column, list }: (typeof CHECKED)[number]): string => `
UPDATE sqlite_schema SET sql = replace(sql, ${quoted(`${column} IN ${list}`)}, ${quoted(oneByOne(column, list))})
WHERE type = 'table' AND name = '${table}';`;

/*
 * A trigger that may refuse an audit record has SQLite copy every page that the record changes. What it kept away is
 * `INSERT OR REPLACE`: the writer prepares no such statement, and on its connection, with `recursive_triggers`, the
 * trigger of DELETE refuses one as well. That the trigger goes also tells every connection to read the schema anew.
 */
const sqlite = `
PRAGMA writable_schema=ON;
${CHECKED.map(rewritten).join('')}
DROP TRIGGER audit_record_once;
PRAGMA writable_schema=RESET;
`;

export const cheaperRows: Migration = { version: 22, name: 'cheaper-rows', sqlite, postgres: 'SELECT 1;' };
