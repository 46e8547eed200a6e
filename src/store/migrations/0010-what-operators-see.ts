import type { Migration } from './migration.ts';

/*
 * Deliveries are found by what an operator knows of them. `delivery.fault_code` is the fault of the last change, which
 * stood in the steps alone. `delivery_finding` has a row for each code among the findings of a delivery, which are
 * sealed; what was judged before has none. `attempt.issues` is what an OperationOutcome of the EHR said: codes of the
 * standard and paths, never its texts. `restricted_patient`: whoever looks at these must say why.
 *
 * `seq > 0` is true of every delivery. SQLite uses such an index only for a statement that says so too: the list does,
 * and whatever else asks for a reason or a time goes on along the indexes that it was written for.
 */
const step = (text: string, place: string, bytes: string, row: string, ending: readonly [string, string]): string => `
ALTER TABLE delivery ADD COLUMN fault_code ${text};
UPDATE delivery SET fault_code = (
  SELECT s.fault_code FROM delivery_step s WHERE s.seq = delivery.seq ORDER BY s.n DESC LIMIT 1)
WHERE seq IN (SELECT seq FROM delivery_step WHERE fault_code IS NOT NULL);
CREATE INDEX delivery_by_time ON delivery (tenant, received_at, seq) WHERE seq > 0;
CREATE INDEX delivery_by_structure ON delivery (tenant, data_structure, seq) WHERE data_structure IS NOT NULL AND seq > 0;
CREATE INDEX delivery_by_reason ON delivery (tenant, reason, seq) WHERE reason IS NOT NULL AND seq > 0;
CREATE INDEX delivery_by_fault ON delivery (tenant, fault_code, seq) WHERE fault_code IS NOT NULL AND seq > 0;

CREATE TABLE delivery_finding (
  seq ${place} NOT NULL REFERENCES delivery (seq),
  tenant ${text} NOT NULL,
  code ${text} NOT NULL,
  PRIMARY KEY (seq, code)
)${ending[1]};
CREATE INDEX delivery_finding_by_code ON delivery_finding (tenant, code, seq);

ALTER TABLE attempt ADD COLUMN issues ${text};
CREATE INDEX attempt_issues ON attempt (tenant, ended_at) WHERE issues IS NOT NULL;

CREATE TABLE restricted_patient (
  seq ${row} PRIMARY KEY,
  tenant ${text} NOT NULL,
  mrn_index ${bytes} NOT NULL,
  mrn_sealed ${bytes} NOT NULL,
  actor ${text} NOT NULL,
  made_at ${place} NOT NULL,
  UNIQUE (tenant, mrn_index)
)${ending[0]};
CREATE INDEX restricted_patient_by_place ON restricted_patient (tenant, seq);
`;

export const whatOperatorsSee: Migration = {
  version: 10,
  name: 'what-operators-see',
  sqlite: step('TEXT', 'INTEGER', 'BLOB', 'INTEGER', [' STRICT', ' STRICT, WITHOUT ROWID']),
  postgres: step('text', 'bigint', 'bytea', 'bigint GENERATED ALWAYS AS IDENTITY', ['', '']),
};
