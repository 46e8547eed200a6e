import { STATES } from './states.ts';

export const sqlite = `
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  hook TEXT NOT NULL CHECK (hook IN ('data','notification')),
  received_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
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

CREATE TABLE lane (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index BLOB NOT NULL,
  lease_owner TEXT,
  lease_epoch INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  PRIMARY KEY (tenant, target, patient_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX lane_ready ON lane (target, next_at) WHERE pending > 0;

CREATE TABLE job (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  patient_index BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('deliver','retract')),
  delivery_seq INTEGER NOT NULL REFERENCES delivery (seq),
  state TEXT NOT NULL CHECK (state IN ('queued','done','cancelled','parked')),
  attempts INTEGER NOT NULL DEFAULT 0,
  first_attempt_at INTEGER
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

CREATE TABLE written_resource (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  name TEXT NOT NULL,
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
  retracted_at INTEGER,
  PRIMARY KEY (tenant, target, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX written_by_document ON written_resource (tenant, target, document_index);
CREATE INDEX written_by_patient ON written_resource (tenant, target, patient_index, chart_day);

CREATE TABLE target (
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  paused_at INTEGER,
  paused_by TEXT,
  PRIMARY KEY (tenant, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_chain (
  chain TEXT PRIMARY KEY,
  opened_at INTEGER NOT NULL,
  previous TEXT,
  first_link BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_record (
  chain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL,
  leaf BLOB NOT NULL,
  link BLOB NOT NULL,
  PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER audit_record_once BEFORE INSERT ON audit_record WHEN EXISTS (SELECT 1 FROM audit_record WHERE chain = NEW.chain AND seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;
CREATE TRIGGER audit_record_stays BEFORE UPDATE ON audit_record BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;
CREATE TRIGGER audit_record_remains BEFORE DELETE ON audit_record BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;

CREATE TABLE audit_checkpoint (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  records INTEGER NOT NULL,
  note TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_checkpoint_once BEFORE INSERT ON audit_checkpoint WHEN EXISTS (SELECT 1 FROM audit_checkpoint WHERE n = NEW.n) BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;
CREATE TRIGGER audit_checkpoint_stays BEFORE UPDATE ON audit_checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;
CREATE TRIGGER audit_checkpoint_remains BEFORE DELETE ON audit_checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;
`;
