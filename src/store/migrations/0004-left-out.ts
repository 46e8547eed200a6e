import type { Migration } from './migration.ts';

/* Deliveries of which a part waits. They are few, and asked for by every look at the metrics and every reload of the mapping data. */
const SQL = `CREATE INDEX delivery_left_out ON delivery (tenant, seq) WHERE state = 'delivered' AND reason = 'left-out';`;

export const leftOut: Migration = { version: 4, name: 'left-out', sqlite: SQL, postgres: SQL };
