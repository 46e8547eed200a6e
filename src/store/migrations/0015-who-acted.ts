import type { Migration } from './migration.ts';

/*
 * What a person did, newest first: records of people and machines by who acted, as `audit_acts` has them by time. And
 * the roles of who began a bulk job, which the records of its deliveries name.
 */
const step = (by: string, text: string): string => `
CREATE INDEX audit_by_actor ON audit_record (${by}) WHERE type IN ('admin','link.change','operator.sign-in','delivery.change') AND substr(record, 1, 31) <> '{"action":"U","actor":"gateway"';
ALTER TABLE bulk_job ADD COLUMN roles ${text};
`;

export const whoActed: Migration = {
  version: 15,
  name: 'who-acted',
  sqlite: step(`tenant, json_extract(record, '$.actor'), at`, 'TEXT'),
  postgres: step(`tenant, (record::json ->> 'actor'), at, chain, seq`, 'text'),
};
