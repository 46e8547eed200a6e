import type { Migration } from './migration.ts';

/*
 * The patients with a confirmed link, as the EHR describes them, so that they are found by name and birth date. What
 * the EHR says is sealed whole. `version` numbers every change of what may be found, in the order of the commits, by
 * which each process follows; a patient whose last link ended stays for a while as a row that says nothing but that.
 */
const step = (text: string, number: string, bytes: string, ending: string): string => `
CREATE TABLE person (
  tenant ${text} NOT NULL,
  mrn_index ${bytes} NOT NULL,
  facts_sealed ${bytes},
  version ${number} NOT NULL,
  due_at ${number},
  gone_at ${number},
  PRIMARY KEY (tenant, mrn_index)
)${ending};
CREATE INDEX person_changed ON person (tenant, version);
CREATE INDEX person_due ON person (tenant, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX person_gone ON person (tenant, gone_at) WHERE gone_at IS NOT NULL;

CREATE TABLE person_version (
  tenant ${text} NOT NULL PRIMARY KEY,
  version ${number} NOT NULL
)${ending};

INSERT INTO person (tenant, mrn_index, version, due_at)
SELECT DISTINCT tenant, mrn_index, 1, 0 FROM link WHERE status = 'confirmed';
`;

export const persons: Migration = {
  version: 19,
  name: 'persons',
  sqlite: step('TEXT', 'INTEGER', 'BLOB', ' STRICT, WITHOUT ROWID'),
  postgres: step('text', 'bigint', 'bytea', ''),
};
