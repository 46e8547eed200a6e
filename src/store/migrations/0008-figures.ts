import type { Migration } from './migration.ts';

/*
 * What happened over time, by the minute for a day and by the hour for 90 days: how many of each series, and of those
 * that are timed how many in each bucket of durations. Nothing in it tells of a patient.
 */
const step = (text: string, number: string, ending: string): string => `
CREATE TABLE figure (
  tenant ${text} NOT NULL,
  width_ms ${number} NOT NULL,
  at ${number} NOT NULL,
  series ${text} NOT NULL,
  bucket ${number} NOT NULL,
  count ${number} NOT NULL,
  PRIMARY KEY (tenant, width_ms, at, series, bucket)
)${ending};
`;

export const figures: Migration = {
  version: 8,
  name: 'figures',
  sqlite: step('TEXT', 'INTEGER', ' STRICT, WITHOUT ROWID'),
  postgres: step('text', 'bigint', ''),
};
