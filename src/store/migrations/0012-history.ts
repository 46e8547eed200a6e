import type { Migration } from './migration.ts';

/*
 * `history`: what each probe of the EHR found and each load of the mapping data came to; what is the same again is
 * counted where it stands. Nothing in it tells of a patient. `job_retracting`: documents that are on their way out of a
 * chart, which are few: lanes that wait are found by it. `job_parked`: documents that cannot leave a chart, fewer
 * still, and counted by every look at the EHR. `link_confirmed`: patients are listed along it.
 */
const step = (key: string, text: string, number: string, ending: string): string => `
CREATE TABLE history (
  seq ${key},
  tenant ${text} NOT NULL,
  list ${text} NOT NULL CHECK (list IN ('probe','load')),
  first_at ${number} NOT NULL,
  last_at ${number} NOT NULL,
  count ${number} NOT NULL,
  actor ${text} NOT NULL,
  outcome ${text} NOT NULL CHECK (outcome IN ('ok','failed')),
  fault_code ${text},
  version ${text} NOT NULL,
  size ${number} NOT NULL,
  facts ${text} NOT NULL,
  changes ${text} NOT NULL,
  problems ${text} NOT NULL
)${ending};
CREATE INDEX history_by_list ON history (tenant, list, seq);
CREATE INDEX job_retracting ON job (tenant, target, delivery_seq) WHERE state = 'queued' AND kind = 'retract';
CREATE INDEX job_parked ON job (tenant, target) WHERE state = 'parked';
CREATE INDEX link_confirmed ON link (tenant, seq) WHERE status = 'confirmed';
`;

export const history: Migration = {
  version: 12,
  name: 'history',
  sqlite: step('INTEGER PRIMARY KEY', 'TEXT', 'INTEGER', ' STRICT'),
  postgres: step('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'text', 'bigint', ''),
};
