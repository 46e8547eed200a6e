import type { Migration } from './migration.ts';

/*
 * What apps are told of. `event` is a queue: one row for each delivery that changed a chart and for each patient who was
 * connected or disconnected, written in the commit that did so, and gone once it was handed to the subscriptions that
 * want it. `subscription_event` is what each of them has been told or will be, under numbers without holes; a row stands
 * for as many numbers as it has items. Patients are found by keyed hashes; ids at the EHR, endpoints, headers, secrets
 * and grants are sealed.
 */
const step = (
  bytes: string,
  number: string,
  text: string,
  [place, ending, keyed]: readonly [string, string, string],
): string => `
CREATE TABLE event (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  at ${number} NOT NULL,
  user_index ${bytes},
  patient_index ${bytes} NOT NULL,
  items_sealed ${bytes} NOT NULL
)${ending};

CREATE TABLE subscription (
  seq ${place} PRIMARY KEY,
  tenant ${text} NOT NULL,
  id ${text} NOT NULL UNIQUE,
  client_id ${text} NOT NULL,
  owner_index ${bytes} NOT NULL,
  topic ${text} NOT NULL,
  filters ${text} NOT NULL,
  patients ${text} NOT NULL CHECK (patients IN ('any','named')),
  content ${text} NOT NULL CHECK (content IN ('empty','id-only','full-resource')),
  state ${text} NOT NULL CHECK (state IN ('requested','active','error','off')),
  because ${text},
  settings_sealed ${bytes} NOT NULL,
  made_at ${number} NOT NULL,
  changed_at ${number} NOT NULL,
  end_at ${number},
  last_number ${number} NOT NULL DEFAULT 0,
  sent_number ${number} NOT NULL DEFAULT 0,
  sent_at ${number},
  failures ${number} NOT NULL DEFAULT 0,
  failing_since ${number},
  next_at ${number} NOT NULL,
  lease_owner ${text},
  lease_epoch ${number} NOT NULL DEFAULT 0,
  lease_until ${number} NOT NULL DEFAULT 0
)${ending};
CREATE INDEX subscription_wanting ON subscription (tenant, patients) WHERE state IN ('active','error');
CREATE INDEX subscription_due ON subscription (tenant, next_at) WHERE state IN ('requested','active');
CREATE INDEX subscription_of_client ON subscription (tenant, client_id, seq);

CREATE TABLE subscription_patient (
  subscription_seq ${number} NOT NULL REFERENCES subscription (seq) ON DELETE CASCADE,
  patient_index ${bytes} NOT NULL,
  PRIMARY KEY (patient_index, subscription_seq)
)${keyed};
CREATE INDEX subscription_patient_of ON subscription_patient (subscription_seq);

CREATE TABLE subscription_event (
  subscription_seq ${number} NOT NULL,
  last_number ${number} NOT NULL,
  first_number ${number} NOT NULL,
  tenant ${text} NOT NULL,
  at ${number} NOT NULL,
  user_index ${bytes},
  patient_index ${bytes} NOT NULL,
  items_sealed ${bytes},
  PRIMARY KEY (subscription_seq, last_number)
)${keyed};
CREATE INDEX subscription_event_at ON subscription_event (at);
CREATE INDEX subscription_event_of_user ON subscription_event (tenant, user_index);
`;

export const subscriptions: Migration = {
  version: 17,
  name: 'subscriptions',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ['INTEGER', ' STRICT', ' STRICT, WITHOUT ROWID']),
  postgres: step('bytea', 'bigint', 'text', ['bigint GENERATED ALWAYS AS IDENTITY', '', '']),
};
