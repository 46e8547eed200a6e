import type { Migration } from './migration.ts';

/*
 * Who works here. Names, display names, passwords, second factors and what a browser said of itself are sealed; what
 * proves something (the secret of a session, a link, a key) is kept as a keyed hash alone. Roles and states stand in
 * clear, so that the last administrator can be told. `operator_moment` holds what is asked for once and soon:
 * challenges of passkeys, and what a sign-in at a provider must come back with.
 */
const step = (bytes: string, moment: string, text: string, ending: string): string => `
CREATE TABLE operator_account (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  name_index ${bytes},
  subject_index ${bytes},
  account_sealed ${bytes} NOT NULL,
  roles ${text} NOT NULL,
  state ${text} NOT NULL CHECK (state IN ('active', 'disabled')),
  made_at ${moment} NOT NULL,
  signed_in_at ${moment},
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, name_index),
  UNIQUE (tenant, subject_index)
)${ending};

CREATE TABLE operator_link (
  tenant ${text} NOT NULL,
  operator_id ${text} NOT NULL,
  secret_index ${bytes} NOT NULL,
  expires_at ${moment} NOT NULL,
  PRIMARY KEY (tenant, operator_id),
  UNIQUE (tenant, secret_index)
)${ending};

CREATE TABLE operator_factor (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  operator_id ${text} NOT NULL,
  kind ${text} NOT NULL CHECK (kind IN ('totp', 'passkey')),
  credential_index ${bytes},
  factor_sealed ${bytes} NOT NULL,
  counter ${moment} NOT NULL,
  made_at ${moment} NOT NULL,
  used_at ${moment},
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, credential_index)
)${ending};
CREATE INDEX operator_factor_by_operator ON operator_factor (tenant, operator_id);

CREATE TABLE operator_session (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  operator_id ${text} NOT NULL,
  secret_index ${bytes} NOT NULL,
  session_sealed ${bytes} NOT NULL,
  stage ${text} NOT NULL CHECK (stage IN ('factor', 'enrol', 'signed-in')),
  factor ${text} NOT NULL CHECK (factor IN ('none', 'totp', 'passkey', 'provider')),
  wrong_tries ${moment} NOT NULL DEFAULT 0,
  made_at ${moment} NOT NULL,
  seen_at ${moment} NOT NULL,
  proved_at ${moment},
  expires_at ${moment} NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, secret_index)
)${ending};
CREATE INDEX operator_session_by_operator ON operator_session (tenant, operator_id);
CREATE INDEX operator_session_by_expiry ON operator_session (expires_at);

CREATE TABLE operator_moment (
  tenant ${text} NOT NULL,
  secret_index ${bytes} NOT NULL,
  moment_sealed ${bytes} NOT NULL,
  expires_at ${moment} NOT NULL,
  PRIMARY KEY (tenant, secret_index)
)${ending};
CREATE INDEX operator_moment_by_expiry ON operator_moment (expires_at);

CREATE TABLE operator_key (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  secret_index ${bytes} NOT NULL,
  key_sealed ${bytes} NOT NULL,
  made_at ${moment} NOT NULL,
  expires_at ${moment},
  used_at ${moment},
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, secret_index)
)${ending};
`;

export const operators: Migration = {
  version: 7,
  name: 'operators',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID'),
  postgres: step('bytea', 'bigint', 'text', ''),
};
