import type { Migration } from './migration.ts';

/*
 * Work on what waits for a person. Parked and quarantined deliveries are grouped along `delivery_stuck`. `bulk_job` is
 * an act of an operator on many deliveries; `bulk_page` holds those that are still to come, as a list of places with
 * the time of their last change, by which one that was moved meanwhile is told. Notes are sealed by the key of their
 * delivery.
 */
const step = (
  bytes: string,
  number: string,
  text: string,
  [place, ending, keyed]: readonly [string, string, string],
): string => `
CREATE INDEX delivery_stuck ON delivery (tenant, state, reason, (coalesce(fault_code, '')), seq)
WHERE state IN ('parked','quarantined');

CREATE TABLE bulk_job (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  id ${text} NOT NULL UNIQUE,
  act ${text} NOT NULL CHECK (act IN ('replay','discard')),
  chosen ${text} NOT NULL,
  why ${text},
  state ${text} NOT NULL CHECK (state IN ('proposed','running','done','stopped')),
  total ${number} NOT NULL,
  patients ${number} NOT NULL,
  moved ${number} NOT NULL DEFAULT 0,
  skipped ${number} NOT NULL DEFAULT 0,
  actor ${text} NOT NULL,
  request_id ${text} NOT NULL,
  started_at ${number} NOT NULL,
  ended_at ${number}
)${ending};
CREATE INDEX bulk_job_running ON bulk_job (tenant, seq) WHERE state = 'running';

CREATE TABLE bulk_page (
  job_seq ${number} NOT NULL REFERENCES bulk_job (seq),
  n ${number} NOT NULL,
  places ${text} NOT NULL,
  PRIMARY KEY (job_seq, n)
)${keyed};

CREATE TABLE delivery_assignment (
  seq ${number} PRIMARY KEY REFERENCES delivery (seq),
  tenant ${text} NOT NULL,
  operator ${text} NOT NULL,
  assigned_at ${number} NOT NULL
)${ending};
CREATE INDEX delivery_assigned ON delivery_assignment (tenant, operator, seq);

CREATE TABLE delivery_note (
  seq ${number} NOT NULL REFERENCES delivery (seq),
  n ${number} NOT NULL,
  at ${number} NOT NULL,
  actor ${text} NOT NULL,
  text_sealed ${bytes} NOT NULL,
  PRIMARY KEY (seq, n)
)${keyed};
`;

export const bulkJobs: Migration = {
  version: 11,
  name: 'bulk-jobs',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ['INTEGER', ' STRICT', ' STRICT, WITHOUT ROWID']),
  postgres: step('bytea', 'bigint', 'text', ['bigint GENERATED ALWAYS AS IDENTITY', '', '']),
};
