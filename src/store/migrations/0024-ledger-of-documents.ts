import type { Migration } from './migration.ts';

/*
 * What a document wrote into a chart becomes one row, and the shelves that its names tell of one each: as rows of
 * resources under random names a delivery changed fifteen pages. `entries` is JSON; the order of what an entry holds is
 * that of `lanes/ledger-document.ts`. Of what was written before the shelves are not known: it is found by its local day
 * in the chart, marked by an L, or among all that laboratories and templates wrote, D. Ids that were sealed one by one
 * stay so, apart from the rows.
 */
interface Words {
  readonly hex: (column: string) => string;
  readonly list: (...values: readonly string[]) => string;
  readonly gather: (list: string) => string;
  readonly integer: string;
  readonly bytes: string;
  readonly strict: string;
  readonly byKey: string;
}

const orNull = (hex: Words['hex'], column: string): string =>
  `CASE WHEN ${column} IS NULL THEN NULL ELSE ${hex(column)} END`;

const SHELF = `CASE WHEN chart_day IS NOT NULL THEN 'L' || chart_day
    WHEN summary_group IN ('lab', 'custom') AND resource_type <> 'Organization' THEN 'D' ELSE '' END`;

const entryOf = ({ hex, list }: Words): string =>
  list(
    hex('name'),
    'resource_type',
    'CASE WHEN length(resource_id_sealed) = 0 THEN 0 ELSE 2 END',
    'version_id',
    hex('content_digest'),
    orNull(hex, 'fingerprint'),
    'said_status',
    orNull(hex, 'said_meaning'),
    'summary_group',
    'chart_day',
    SHELF,
    'said_at',
    'written_at',
    'kept_at',
    'retracted_at',
    'delivery_seq',
  );

const sql = (words: Words): string => `
CREATE TABLE written_document (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index ${words.bytes} NOT NULL,
  document_index ${words.bytes} NOT NULL,
  delivery_seq ${words.integer} NOT NULL REFERENCES delivery (seq),
  standing ${words.integer} NOT NULL,
  alerts ${words.integer} NOT NULL,
  entries TEXT NOT NULL,
  ids_sealed ${words.bytes}
)${words.strict};
INSERT INTO written_document (tenant, target, patient_index, document_index, delivery_seq, standing, alerts, entries)
SELECT tenant, target, patient_index, document_index, max(delivery_seq),
  sum(CASE WHEN retracted_at IS NULL THEN 1 ELSE 0 END), sum(CASE WHEN summary_group = 'alerts' THEN 1 ELSE 0 END),
  ${words.gather(entryOf(words))}
FROM written_resource GROUP BY tenant, target, patient_index, document_index;
CREATE UNIQUE INDEX written_document_once ON written_document (tenant, target, patient_index, document_index);

CREATE TABLE written_shelf (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index ${words.bytes} NOT NULL,
  shelf TEXT NOT NULL,
  document_index ${words.bytes} NOT NULL,
  PRIMARY KEY (tenant, target, patient_index, shelf, document_index)
)${words.byKey};
INSERT INTO written_shelf (tenant, target, patient_index, shelf, document_index)
SELECT DISTINCT tenant, target, patient_index, ${SHELF}, document_index
FROM written_resource;

CREATE TABLE written_id (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index ${words.bytes} NOT NULL,
  name ${words.bytes} NOT NULL,
  document_index ${words.bytes} NOT NULL,
  resource_id_sealed ${words.bytes} NOT NULL,
  PRIMARY KEY (tenant, target, patient_index, name)
)${words.byKey};
INSERT INTO written_id (tenant, target, patient_index, name, document_index, resource_id_sealed)
SELECT tenant, target, patient_index, name, document_index, resource_id_sealed FROM written_resource
WHERE length(resource_id_sealed) > 0;

DROP TABLE written_resource;
`;

export const ledgerOfDocuments: Migration = {
  version: 24,
  name: 'ledger-of-documents',
  sqlite: sql({
    hex: (column) => `lower(hex(${column}))`,
    list: (...values) => `json_array(${values.join(', ')})`,
    gather: (list) => `json_group_array(${list})`,
    integer: 'INTEGER',
    bytes: 'BLOB',
    strict: ' STRICT',
    byKey: ' STRICT, WITHOUT ROWID',
  }),
  postgres: sql({
    hex: (column) => `encode(${column}, 'hex')`,
    list: (...values) => `json_build_array(${values.join(', ')})`,
    gather: (list) => `json_agg(${list})::text`,
    integer: 'bigint',
    bytes: 'bytea',
    strict: '',
    byKey: '',
  }),
};
