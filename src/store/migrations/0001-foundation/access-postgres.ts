import { BULK_AUDIT_TYPES } from './states.ts';

/** Who may do what, and what they did: the authorization server and the audit. */
export const accessPostgres = `
CREATE TABLE auth_record (
  tenant text NOT NULL,
  kind text NOT NULL,
  id_index bytea NOT NULL,
  payload_sealed bytea NOT NULL,
  grant_index bytea,
  uid_index bytea,
  consumed_at bigint,
  expires_at bigint NOT NULL,
  PRIMARY KEY (tenant, kind, id_index)
);
CREATE INDEX auth_record_by_grant ON auth_record (tenant, grant_index) WHERE grant_index IS NOT NULL;
CREATE INDEX auth_record_by_uid ON auth_record (tenant, uid_index) WHERE uid_index IS NOT NULL;
CREATE INDEX auth_record_by_expiry ON auth_record (expires_at);

CREATE TABLE auth_client (
  tenant text NOT NULL,
  id text NOT NULL,
  client_sealed bytea NOT NULL,
  made_at bigint NOT NULL,
  PRIMARY KEY (tenant, id)
);

CREATE TABLE auth_origin (
  tenant text NOT NULL,
  origin text NOT NULL,
  client_id text NOT NULL,
  PRIMARY KEY (tenant, origin, client_id)
);

CREATE TABLE auth_account (
  tenant text NOT NULL,
  id text NOT NULL,
  name_index bytea NOT NULL,
  account_sealed bytea NOT NULL,
  failures bigint NOT NULL DEFAULT 0,
  locked_until bigint NOT NULL DEFAULT 0,
  made_at bigint NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, name_index)
);

CREATE TABLE auth_key (
  tenant text NOT NULL,
  name text NOT NULL,
  key_sealed bytea NOT NULL,
  made_at bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE audit_chain (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain text COLLATE "C" NOT NULL UNIQUE,
  opened_at bigint NOT NULL,
  previous text,
  first_link bytea NOT NULL,
  covered bigint NOT NULL DEFAULT 0
);

CREATE TABLE audit_record (
  chain text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  delivery_id text COLLATE "C",
  client text COLLATE "C",
  patient text COLLATE "C",
  chart text COLLATE "C",
  record text NOT NULL,
  leaf bytea NOT NULL,
  link bytea NOT NULL,
  PRIMARY KEY (chain, seq)
);
CREATE INDEX audit_by_time ON audit_record (tenant, at, chain, seq);
CREATE INDEX audit_by_request ON audit_record (tenant, request_id, at, chain, seq);
CREATE INDEX audit_by_delivery ON audit_record (tenant, delivery_id, at, chain, seq) WHERE delivery_id IS NOT NULL;
CREATE INDEX audit_by_client ON audit_record (tenant, client, at, chain, seq) WHERE client IS NOT NULL;
CREATE INDEX audit_by_patient ON audit_record (tenant, patient, at, chain, seq) WHERE patient IS NOT NULL;
CREATE INDEX audit_by_chart ON audit_record (tenant, chart, at, chain, seq) WHERE chart IS NOT NULL;
CREATE INDEX audit_refused ON audit_record (tenant, at, chain, seq) WHERE outcome <> '0';
CREATE INDEX audit_seldom ON audit_record (tenant, type, at, chain, seq) WHERE type NOT IN ${BULK_AUDIT_TYPES};

CREATE TABLE audit_chart (
  tenant text NOT NULL,
  patient text NOT NULL,
  chart text NOT NULL,
  PRIMARY KEY (tenant, patient, chart)
);
CREATE INDEX audit_chart_back ON audit_chart (tenant, chart);

CREATE TABLE audit_checkpoint (
  n bigint PRIMARY KEY,
  at bigint NOT NULL,
  records bigint NOT NULL,
  note text NOT NULL,
  frontier bytea NOT NULL
);

CREATE TABLE audit_segment (
  checkpoint bigint NOT NULL REFERENCES audit_checkpoint (n),
  named_by bigint NOT NULL REFERENCES audit_checkpoint (n),
  chain text COLLATE "C" NOT NULL,
  upto bigint NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (chain, upto)
);
-- Where the removed records of a chain end: what stays stands on it.
CREATE TABLE audit_dropped (
  chain text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  link bytea NOT NULL
);

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append only', TG_TABLE_NAME; END $$;
CREATE FUNCTION exported_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM audit_segment WHERE chain = OLD.chain AND upto >= OLD.seq) THEN RAISE EXCEPTION '% is append only', TG_TABLE_NAME; END IF;
  RETURN OLD; END $$;
CREATE TRIGGER audit_record_stays BEFORE UPDATE OR TRUNCATE ON audit_record EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_record_remains BEFORE DELETE ON audit_record FOR EACH ROW EXECUTE FUNCTION exported_only();
CREATE TRIGGER audit_checkpoint_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoint EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_segment_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_segment EXECUTE FUNCTION append_only();
`;
