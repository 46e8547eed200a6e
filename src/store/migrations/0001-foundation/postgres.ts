import { STATES } from './states.ts';

/** Deliveries, links, lanes and the ledger. */
export const postgres = `
CREATE TABLE delivery (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  id text NOT NULL UNIQUE,
  hook text NOT NULL CHECK (hook IN ('data','notification')),
  received_at bigint NOT NULL,
  request_id text NOT NULL,
  trace_id text,
  receiver text NOT NULL,
  sender text NOT NULL,
  state text NOT NULL CHECK (state IN ${STATES}),
  reason text,
  state_at bigint NOT NULL,
  body_bytes integer NOT NULL,
  raw_digest bytea NOT NULL,
  content_digest bytea,
  data_structure text,
  user_index bytea,
  user_sealed bytea,
  document_index bytea,
  document_version bigint,
  duplicate_of bigint,
  findings_sealed bytea
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX delivery_by_state ON delivery (tenant, state, seq);
CREATE INDEX delivery_by_user ON delivery (tenant, user_index, seq) WHERE user_index IS NOT NULL;
CREATE INDEX delivery_waiting ON delivery (tenant, user_index, seq) WHERE state IN ('queued','parked');
CREATE INDEX delivery_by_document ON delivery (tenant, document_index, seq) WHERE document_index IS NOT NULL;

CREATE TABLE delivery_body (
  seq bigint PRIMARY KEY REFERENCES delivery (seq),
  sealed bytea NOT NULL
);
ALTER TABLE delivery_body ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE delivery_digest (
  tenant text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('data','notification','content')),
  digest bytea NOT NULL,
  seq bigint NOT NULL REFERENCES delivery (seq),
  PRIMARY KEY (tenant, kind, digest)
);

CREATE TABLE delivery_step (
  seq bigint NOT NULL REFERENCES delivery (seq),
  n integer NOT NULL,
  at bigint NOT NULL,
  from_state text,
  to_state text NOT NULL,
  reason text,
  fault_code text,
  actor text NOT NULL,
  PRIMARY KEY (seq, n)
);

CREATE TABLE ledger_count (
  tenant text NOT NULL,
  writer text NOT NULL,
  state text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tenant, state, writer)
) WITH (fillfactor = 50);

CREATE TABLE document (
  tenant text NOT NULL,
  document_index bytea NOT NULL,
  data_structure text NOT NULL,
  version bigint NOT NULL,
  clinical_digest bytea,
  seq bigint NOT NULL REFERENCES delivery (seq),
  changed_at bigint NOT NULL,
  PRIMARY KEY (tenant, document_index)
) WITH (fillfactor = 70);

CREATE TABLE unmapped (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  word_index bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('code','context','unit','structure')),
  word_sealed bytea NOT NULL,
  data_structure text NOT NULL,
  count bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  UNIQUE (tenant, word_index)
) WITH (fillfactor = 70);

CREATE TABLE source_user (
  tenant text NOT NULL,
  user_index bytea NOT NULL,
  user_sealed bytea NOT NULL,
  seen_at bigint NOT NULL,
  unsettled_at bigint,
  PRIMARY KEY (tenant, user_index)
);
CREATE INDEX source_user_unsettled ON source_user (tenant, unsettled_at) WHERE unsettled_at IS NOT NULL;

CREATE TABLE link (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  id text NOT NULL UNIQUE,
  user_index bytea NOT NULL,
  user_sealed bytea NOT NULL,
  mrn_index bytea NOT NULL,
  mrn_sealed bytea NOT NULL,
  status text NOT NULL CHECK (status IN ('proposed','confirmed','revoked')),
  evidence_sealed bytea NOT NULL,
  actor text NOT NULL,
  made_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  replaces bigint REFERENCES link (seq)
);
CREATE UNIQUE INDEX link_one_confirmed ON link (tenant, user_index) WHERE status = 'confirmed';
CREATE INDEX link_by_user ON link (tenant, user_index, seq);
CREATE INDEX link_by_mrn ON link (tenant, mrn_index, seq);

CREATE TABLE enrolled_user (
  tenant text NOT NULL,
  user_index bytea NOT NULL,
  user_sealed bytea NOT NULL,
  revoked_at bigint,
  late bigint NOT NULL,
  PRIMARY KEY (tenant, user_index)
);
CREATE INDEX enrolled_user_revoked ON enrolled_user (tenant, revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE enrolled_patient (
  tenant text NOT NULL,
  mrn_index bytea NOT NULL,
  user_sealed bytea NOT NULL,
  PRIMARY KEY (tenant, mrn_index)
);

CREATE TABLE source_connection (
  tenant text NOT NULL,
  user_index bytea NOT NULL,
  data_source text NOT NULL,
  state text NOT NULL CHECK (state IN ('asked','connected','ended','revoked')),
  asked_at bigint,
  changed_at bigint NOT NULL,
  failed_at bigint,
  failure_sealed bytea,
  PRIMARY KEY (tenant, user_index, data_source)
);

CREATE TABLE source_request (
  tenant text NOT NULL,
  user_index bytea NOT NULL,
  id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('lab','profile')),
  asked_at bigint NOT NULL,
  mrn_sealed bytea,
  delivery_id text,
  arrived_at bigint,
  PRIMARY KEY (tenant, user_index, id)
);
CREATE INDEX source_request_waiting ON source_request (tenant, asked_at) WHERE delivery_id IS NULL;

CREATE TABLE lane (
  tenant text NOT NULL,
  target text NOT NULL,
  patient_index bytea NOT NULL,
  lease_owner text,
  lease_epoch bigint NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  next_at timestamptz NOT NULL DEFAULT now(),
  pending integer NOT NULL DEFAULT 0 CHECK (pending >= 0),
  chart_index bytea,
  chart_epoch bigint,
  PRIMARY KEY (tenant, target, patient_index)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX lane_ready ON lane (target, next_at) WHERE pending > 0;
CREATE INDEX lane_by_chart ON lane (tenant, target, chart_index) WHERE chart_index IS NOT NULL;

CREATE TABLE job (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  target text NOT NULL,
  patient_index bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deliver','retract')),
  delivery_seq bigint NOT NULL REFERENCES delivery (seq),
  state text NOT NULL CHECK (state IN ('queued','done','cancelled','parked')),
  attempts integer NOT NULL DEFAULT 0,
  few_in_a_row integer NOT NULL DEFAULT 0,
  first_attempt_at bigint,
  plan_digest bytea,
  approved_at bigint
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX job_head ON job (tenant, target, patient_index, delivery_seq, seq) WHERE state = 'queued';
CREATE INDEX job_by_delivery ON job (delivery_seq);

CREATE TABLE attempt (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  id text NOT NULL UNIQUE,
  job_seq bigint NOT NULL REFERENCES job (seq),
  lease_epoch bigint NOT NULL,
  request_digest bytea NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  outcome text,
  fault_code text,
  http_status integer,
  resolved_at bigint
);
CREATE INDEX attempt_by_job ON attempt (job_seq, seq);
CREATE INDEX attempt_open ON attempt (job_seq) WHERE ended_at IS NULL;

CREATE TABLE written_resource (
  tenant text NOT NULL,
  target text NOT NULL,
  name bytea NOT NULL,
  patient_index bytea NOT NULL,
  document_index bytea NOT NULL,
  chart_day text,
  summary_group text,
  resource_type text NOT NULL,
  resource_id_sealed bytea NOT NULL,
  version_id text,
  content_digest bytea NOT NULL,
  delivery_seq bigint NOT NULL REFERENCES delivery (seq),
  written_at bigint NOT NULL,
  said_at bigint NOT NULL DEFAULT 0,
  retracted_at bigint,
  PRIMARY KEY (tenant, target, patient_index, name)
) WITH (fillfactor = 70);
CREATE INDEX written_by_document ON written_resource (tenant, target, patient_index, document_index);

CREATE TABLE foreign_change (
  tenant text NOT NULL,
  target text NOT NULL,
  delivery_seq bigint NOT NULL REFERENCES delivery (seq),
  name bytea NOT NULL,
  resource_type text NOT NULL,
  resource_id_sealed bytea NOT NULL,
  version_id text,
  seen_at bigint NOT NULL,
  decision text CHECK (decision IN ('keep-theirs','overwrite')),
  PRIMARY KEY (tenant, target, delivery_seq, name)
);

CREATE TABLE target (
  tenant text NOT NULL,
  target text NOT NULL,
  paused_at bigint,
  paused_by text,
  seen_at bigint,
  known_since bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, target)
);
`;
