import { BULK_AUDIT_TYPES } from './states.ts';

/** Who may do what, and what they did: the authorization server and the audit. */
export const accessSqlite = `
CREATE TABLE auth_record (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  id_index BLOB NOT NULL,
  payload_sealed BLOB NOT NULL,
  grant_index BLOB,
  uid_index BLOB,
  consumed_at INTEGER,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind, id_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX auth_record_by_grant ON auth_record (tenant, grant_index) WHERE grant_index IS NOT NULL;
CREATE INDEX auth_record_by_uid ON auth_record (tenant, uid_index) WHERE uid_index IS NOT NULL;
CREATE INDEX auth_record_by_expiry ON auth_record (expires_at);

CREATE TABLE auth_client (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  client_sealed BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE auth_origin (
  tenant TEXT NOT NULL,
  origin TEXT NOT NULL,
  client_id TEXT NOT NULL,
  PRIMARY KEY (tenant, origin, client_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE auth_account (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  name_index BLOB NOT NULL,
  account_sealed BLOB NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER NOT NULL DEFAULT 0,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, name_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE auth_key (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  key_sealed BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_chain (
  n INTEGER PRIMARY KEY,
  chain TEXT NOT NULL UNIQUE,
  opened_at INTEGER NOT NULL,
  previous TEXT,
  first_link BLOB NOT NULL,
  covered INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE audit_record (
  chain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  type TEXT NOT NULL,
  outcome TEXT NOT NULL,
  request_id TEXT NOT NULL,
  delivery_id TEXT,
  client TEXT,
  patient TEXT,
  chart TEXT,
  record TEXT NOT NULL,
  leaf BLOB NOT NULL,
  link BLOB NOT NULL,
  PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit_record (tenant, at);
CREATE INDEX audit_by_request ON audit_record (tenant, request_id, at);
CREATE INDEX audit_by_delivery ON audit_record (tenant, delivery_id, at) WHERE delivery_id IS NOT NULL;
CREATE INDEX audit_by_client ON audit_record (tenant, client, at) WHERE client IS NOT NULL;
CREATE INDEX audit_by_patient ON audit_record (tenant, patient, at) WHERE patient IS NOT NULL;
CREATE INDEX audit_by_chart ON audit_record (tenant, chart, at) WHERE chart IS NOT NULL;
CREATE INDEX audit_refused ON audit_record (tenant, at) WHERE outcome <> '0';
CREATE INDEX audit_seldom ON audit_record (tenant, type, at) WHERE type NOT IN ${BULK_AUDIT_TYPES};

CREATE TABLE audit_chart (
  tenant TEXT NOT NULL,
  patient TEXT NOT NULL,
  chart TEXT NOT NULL,
  PRIMARY KEY (tenant, patient, chart)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_chart_back ON audit_chart (tenant, chart);

CREATE TABLE audit_checkpoint (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  records INTEGER NOT NULL,
  note TEXT NOT NULL,
  frontier BLOB NOT NULL
) STRICT;
CREATE TRIGGER audit_checkpoint_once BEFORE INSERT ON audit_checkpoint WHEN EXISTS (SELECT 1 FROM audit_checkpoint WHERE n = NEW.n) BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;
CREATE TRIGGER audit_checkpoint_stays BEFORE UPDATE ON audit_checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;
CREATE TRIGGER audit_checkpoint_remains BEFORE DELETE ON audit_checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoints are append only'); END;

CREATE TABLE audit_segment (
  checkpoint INTEGER NOT NULL REFERENCES audit_checkpoint (n),
  named_by INTEGER NOT NULL REFERENCES audit_checkpoint (n),
  chain TEXT NOT NULL,
  upto INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (chain, upto)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER audit_segment_stays BEFORE UPDATE ON audit_segment BEGIN SELECT RAISE(ABORT, 'segments are append only'); END;
CREATE TRIGGER audit_segment_remains BEFORE DELETE ON audit_segment BEGIN SELECT RAISE(ABORT, 'segments are append only'); END;

-- Where the removed records of a chain end: what stays stands on it.
CREATE TABLE audit_dropped (
  chain TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL,
  link BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_record_once BEFORE INSERT ON audit_record WHEN EXISTS (SELECT 1 FROM audit_record WHERE chain = NEW.chain AND seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;
CREATE TRIGGER audit_record_stays BEFORE UPDATE ON audit_record BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;
CREATE TRIGGER audit_record_remains BEFORE DELETE ON audit_record WHEN NOT EXISTS (SELECT 1 FROM audit_segment WHERE chain = OLD.chain AND upto >= OLD.seq) BEGIN SELECT RAISE(ABORT, 'audit records are append only'); END;
`;
