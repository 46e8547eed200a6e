import type { Migration } from './migration.ts';

/*
 * For whoever watches and whoever asks how often. What became a problem, in the order of time; acts of people and
 * machines, which the gateway's own (canonical JSON begins with who acted) are not; what apps asked for and whose data
 * were seen. And the searches of the audit that an operator keeps, which may name a patient and are sealed.
 */
const step = (bytes: string, moment: string, text: string, ending: string): string => `
CREATE INDEX delivery_problems ON delivery (tenant, state_at, state, reason) WHERE state IN ('parked','quarantined');
CREATE INDEX audit_acts ON audit_record (tenant, at) WHERE type IN ('admin','link.change','operator.sign-in','delivery.change') AND substr(record, 1, 31) <> '{"action":"U","actor":"gateway"';
CREATE INDEX audit_looks ON audit_record (tenant, at, client, patient, chart) WHERE type IN ('admin','link.change','fhir.read','fhir.search','fhir.deny','auth.sign-in','auth.grant','auth.reject');

CREATE TABLE operator_search (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  operator_id ${text} NOT NULL,
  name_index ${bytes} NOT NULL,
  search_sealed ${bytes} NOT NULL,
  made_at ${moment} NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, operator_id, name_index)
)${ending};
`;

export const watching: Migration = {
  version: 13,
  name: 'watching',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID'),
  postgres: step('bytea', 'bigint', 'text', ''),
};
