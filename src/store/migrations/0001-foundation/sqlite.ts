import { STATES } from './states.ts';

/** Deliveries, links, lanes and the ledger. */
export const sqlite = `
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  hook TEXT NOT NULL CHECK (hook IN ('data','notification')),
  received_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  trace_id TEXT,
  receiver TEXT NOT NULL,
  sender TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ${STATES}),
  reason TEXT,
  state_at INTEGER NOT NULL,
  body_bytes INTEGER NOT NULL,
  raw_digest BLOB NOT NULL,
  content_digest BLOB,
  data_structure TEXT,
  user_index BLOB,
  user_sealed BLOB,
  document_index BLOB,
  document_version INTEGER,
  duplicate_of INTEGER,
  findings_sealed BLOB
) STRICT;
CREATE INDEX delivery_by_state ON delivery (tenant, state, seq);
CREATE INDEX delivery_by_user ON delivery (tenant, user_index, seq) WHERE user_index IS NOT NULL;
CREATE INDEX delivery_waiting ON delivery (tenant, user_index, seq) WHERE state IN ('queued','parked');
CREATE INDEX delivery_by_document ON delivery (tenant, document_index, seq) WHERE document_index IS NOT NULL;

CREATE TABLE delivery_body (
  seq INTEGER PRIMARY KEY REFERENCES delivery (seq),
  sealed BLOB NOT NULL
) STRICT;

CREATE TABLE delivery_digest (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('data','notification','content')),
  digest BLOB NOT NULL,
  seq INTEGER NOT NULL REFERENCES delivery (seq),
  PRIMARY KEY (tenant, kind, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_step (
  seq INTEGER NOT NULL REFERENCES delivery (seq),
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  reason TEXT,
  fault_code TEXT,
  actor TEXT NOT NULL,
  PRIMARY KEY (seq, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_count (
  tenant TEXT NOT NULL,
  writer TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant, state, writer)
) STRICT, WITHOUT ROWID;

CREATE TABLE document (
  tenant TEXT NOT NULL,
  document_index BLOB NOT NULL,
  data_structure TEXT NOT NULL,
  version INTEGER NOT NULL,
  clinical_digest BLOB,
  seq INTEGER NOT NULL REFERENCES delivery (seq),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, document_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE unmapped (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  word_index BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('code','context','unit','structure')),
  word_sealed BLOB NOT NULL,
  data_structure TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (tenant, word_index)
) STRICT;

CREATE TABLE source_user (
  tenant TEXT NOT NULL,
  user_index BLOB NOT NULL,
  user_sealed BLOB NOT NULL,
  seen_at INTEGER NOT NULL,
  unsettled_at INTEGER,
  PRIMARY KEY (tenant, user_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_user_unsettled ON source_user (tenant, unsettled_at) WHERE unsettled_at IS NOT NULL;

CREATE TABLE link (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  user_index BLOB NOT NULL,
  user_sealed BLOB NOT NULL,
  mrn_index BLOB NOT NULL,
  mrn_sealed BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('proposed','confirmed','revoked')),
  evidence_sealed BLOB NOT NULL,
  actor TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  replaces INTEGER REFERENCES link (seq)
) STRICT;
CREATE UNIQUE INDEX link_one_confirmed ON link (tenant, user_index) WHERE status = 'confirmed';
CREATE INDEX link_by_user ON link (tenant, user_index, seq);
CREATE INDEX link_by_mrn ON link (tenant, mrn_index, seq);

CREATE TABLE enrolled_user (
  tenant TEXT NOT NULL,
  user_index BLOB NOT NULL,
  user_sealed BLOB NOT NULL,
  revoked_at INTEGER,
  late INTEGER NOT NULL,
  PRIMARY KEY (tenant, user_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX enrolled_user_revoked ON enrolled_user (tenant, revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE enrolled_patient (
  tenant TEXT NOT NULL,
  mrn_index BLOB NOT NULL,
  user_sealed BLOB NOT NULL,
  PRIMARY KEY (tenant, mrn_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE source_connection (
  tenant TEXT NOT NULL,
  user_index BLOB NOT NULL,
  data_source TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked','connected','ended','revoked')),
  asked_at INTEGER,
  changed_at INTEGER NOT NULL,
  failed_at INTEGER,
  failure_sealed BLOB,
  PRIMARY KEY (tenant, user_index, data_source)
) STRICT, WITHOUT ROWID;

CREATE TABLE source_request (
  tenant TEXT NOT NULL,
  user_index BLOB NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('lab','profile')),
  asked_at INTEGER NOT NULL,
  mrn_sealed BLOB,
  delivery_id TEXT,
  arrived_at INTEGER,
  PRIMARY KEY (tenant, user_index, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_request_waiting ON source_request (tenant, asked_at) WHERE delivery_id IS NULL;

CREATE TABLE lane (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index BLOB NOT NULL,
  lease_owner TEXT,
  lease_epoch INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  chart_index BLOB,
  chart_epoch INTEGER,
  PRIMARY KEY (tenant, target, patient_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX lane_ready ON lane (target, next_at) WHERE pending > 0;
CREATE INDEX lane_by_chart ON lane (tenant, target, chart_index) WHERE chart_index IS NOT NULL;

CREATE TABLE job (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('deliver','retract')),
  delivery_seq INTEGER NOT NULL REFERENCES delivery (seq),
  state TEXT NOT NULL CHECK (state IN ('queued','done','cancelled','parked')),
  attempts INTEGER NOT NULL DEFAULT 0,
  few_in_a_row INTEGER NOT NULL DEFAULT 0,
  first_attempt_at INTEGER,
  plan_digest BLOB,
  approved_at INTEGER
) STRICT;
CREATE INDEX job_head ON job (tenant, target, patient_index, delivery_seq, seq) WHERE state = 'queued';
CREATE INDEX job_by_delivery ON job (delivery_seq);

CREATE TABLE attempt (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  job_seq INTEGER NOT NULL REFERENCES job (seq),
  lease_epoch INTEGER NOT NULL,
  request_digest BLOB NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  fault_code TEXT,
  http_status INTEGER,
  resolved_at INTEGER
) STRICT;
CREATE INDEX attempt_by_job ON attempt (job_seq, seq);
CREATE INDEX attempt_open ON attempt (job_seq) WHERE ended_at IS NULL;

-- In the order of writing, so that what one delivery wrote stands together; a name is 32 bytes.
CREATE TABLE written_resource (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  name BLOB NOT NULL,
  patient_index BLOB NOT NULL,
  document_index BLOB NOT NULL,
  chart_day TEXT,
  summary_group TEXT,
  resource_type TEXT NOT NULL,
  resource_id_sealed BLOB NOT NULL,
  version_id TEXT,
  content_digest BLOB NOT NULL,
  delivery_seq INTEGER NOT NULL REFERENCES delivery (seq),
  written_at INTEGER NOT NULL,
  said_at INTEGER NOT NULL DEFAULT 0,
  retracted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX written_once ON written_resource (tenant, target, patient_index, name);
CREATE INDEX written_by_document ON written_resource (tenant, target, patient_index, document_index);

CREATE TABLE foreign_change (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  delivery_seq INTEGER NOT NULL REFERENCES delivery (seq),
  name BLOB NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id_sealed BLOB NOT NULL,
  version_id TEXT,
  seen_at INTEGER NOT NULL,
  decision TEXT CHECK (decision IN ('keep-theirs','overwrite')),
  PRIMARY KEY (tenant, target, delivery_seq, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE target (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  paused_at INTEGER,
  paused_by TEXT,
  seen_at INTEGER,
  known_since INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, target)
) STRICT, WITHOUT ROWID;
`;
