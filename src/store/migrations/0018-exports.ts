import type { Migration } from './migration.ts';

/*
 * Bulk exports. `export_patient` has the patients of an export in the order in which they are read; `export_segment` the
 * lines of one patient and type, compressed and sealed by the key of the export, which stands sealed in `export_job` and
 * is destroyed with it. A segment can be fetched once its patient is done: what a run that was cut off has left is
 * written anew. `chart_index` says who is done by the id at the EHR: of two MRNs of one Patient the second is left out.
 * The patient 0 has what is nobody's, whose names are gathered in `export_shared`.
 *
 * `patient_group` is a list of MRNs that an operator keeps.
 */
const step = (
  bytes: string,
  number: string,
  text: string,
  [place, ending, keyed]: readonly [string, string, string],
): string => `
CREATE TABLE export_job (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  id ${text} NOT NULL UNIQUE,
  client ${text} NOT NULL,
  issuer ${text} NOT NULL,
  token_id ${text} NOT NULL,
  scope ${text} NOT NULL,
  level ${text} NOT NULL CHECK (level IN ('system','patient','group')),
  group_id ${text},
  types ${text},
  since ${number},
  asked_sealed ${bytes},
  key_sealed ${bytes},
  state ${text} NOT NULL CHECK (state IN ('running','complete','failed','deleted','ended','expired')),
  phase ${text} NOT NULL CHECK (phase IN ('gather','patients','shared')),
  gathered_to ${text},
  total ${number} NOT NULL DEFAULT 0,
  done ${number} NOT NULL DEFAULT 0,
  failed ${number} NOT NULL DEFAULT 0,
  resources ${number} NOT NULL DEFAULT 0,
  bytes ${number} NOT NULL DEFAULT 0,
  fault ${text},
  owner ${text},
  epoch ${number} NOT NULL DEFAULT 0,
  lease_until ${number} NOT NULL DEFAULT 0,
  is_cleared ${number} NOT NULL DEFAULT 0,
  request_id ${text} NOT NULL,
  started_at ${number} NOT NULL,
  ended_at ${number},
  expires_at ${number}
)${ending};
CREATE INDEX export_job_running ON export_job (tenant, seq) WHERE state = 'running';
CREATE INDEX export_job_of_client ON export_job (tenant, client, seq);
CREATE INDEX export_job_kept ON export_job (tenant, seq) WHERE is_cleared = 0;

CREATE TABLE export_patient (
  export_seq ${number} NOT NULL REFERENCES export_job (seq),
  n ${number} NOT NULL,
  tenant ${text} NOT NULL,
  mrn_index ${bytes} NOT NULL,
  mrn_sealed ${bytes} NOT NULL,
  chart_index ${bytes},
  state ${text} NOT NULL CHECK (state IN ('waiting','done','failed','left')),
  attempts ${number} NOT NULL DEFAULT 0,
  PRIMARY KEY (export_seq, n),
  UNIQUE (export_seq, mrn_index),
  UNIQUE (export_seq, chart_index)
)${keyed};
CREATE INDEX export_patient_waiting ON export_patient (export_seq, n) WHERE state = 'waiting';
CREATE INDEX export_patient_by_mrn ON export_patient (tenant, mrn_index);

CREATE TABLE export_segment (
  export_seq ${number} NOT NULL REFERENCES export_job (seq),
  patient_n ${number} NOT NULL,
  n ${number} NOT NULL,
  type ${text} NOT NULL,
  part ${number} NOT NULL,
  resources ${number} NOT NULL,
  bytes ${number} NOT NULL,
  data_sealed ${bytes} NOT NULL,
  PRIMARY KEY (export_seq, patient_n, n)
)${ending};
CREATE INDEX export_segment_of_file ON export_segment (export_seq, type, part, patient_n, n);

CREATE TABLE export_type (
  export_seq ${number} NOT NULL REFERENCES export_job (seq),
  type ${text} NOT NULL,
  resources ${number} NOT NULL,
  PRIMARY KEY (export_seq, type)
)${keyed};

CREATE TABLE export_shared (
  export_seq ${number} NOT NULL REFERENCES export_job (seq),
  name ${text} NOT NULL,
  state ${text} NOT NULL CHECK (state IN ('waiting','done')),
  PRIMARY KEY (export_seq, name)
)${keyed};
CREATE INDEX export_shared_waiting ON export_shared (export_seq, name) WHERE state = 'waiting';

CREATE TABLE patient_group (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  id ${text} NOT NULL UNIQUE,
  name ${text} NOT NULL,
  actor ${text} NOT NULL,
  made_at ${number} NOT NULL,
  changed_at ${number} NOT NULL,
  UNIQUE (tenant, name)
)${ending};

CREATE TABLE patient_group_member (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  group_seq ${number} NOT NULL REFERENCES patient_group (seq),
  mrn_index ${bytes} NOT NULL,
  mrn_sealed ${bytes} NOT NULL,
  UNIQUE (group_seq, mrn_index)
)${ending};
CREATE INDEX patient_group_member_by_mrn ON patient_group_member (tenant, mrn_index);
`;

export const exports: Migration = {
  version: 18,
  name: 'exports',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ['INTEGER', ' STRICT', ' STRICT, WITHOUT ROWID']),
  postgres: step('bytea', 'bigint', 'text', ['bigint GENERATED ALWAYS AS IDENTITY', '', '']),
};
