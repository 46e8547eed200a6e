import type { Migration } from './migration.ts';

/*
 * `delivery_left_out`: deliveries of which a part waits; few, and asked for by every look at the metrics and every
 * reload of the mapping data. `said_status`, `said_meaning`: with what status a resource was written last, and a digest
 * of the elements in which it says something, so that only another statement is called an amendment. Null of what was
 * written before.
 */
const LEFT_OUT = `CREATE INDEX delivery_left_out ON delivery (tenant, seq) WHERE state = 'delivered' AND reason = 'left-out';`;

export const clinicalSafety: Migration = {
  version: 4,
  name: 'clinical-safety',
  sqlite: `${LEFT_OUT}
ALTER TABLE written_resource ADD COLUMN said_status TEXT;
ALTER TABLE written_resource ADD COLUMN said_meaning BLOB;
`,
  postgres: `${LEFT_OUT}
ALTER TABLE written_resource ADD COLUMN said_status text;
ALTER TABLE written_resource ADD COLUMN said_meaning bytea;
`,
};
