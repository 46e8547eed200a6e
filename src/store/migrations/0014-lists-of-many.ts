import type { Migration } from './migration.ts';

/*
 * For lists among many. `delivery_stuck` holds the fault itself beside what it is ordered by: without it PostgreSQL
 * looks every delivery up that it counts. `link_seldom`: links that are proposed or revoked, which are few beside those
 * that are confirmed and have `link_confirmed`.
 */
const SQL = `
DROP INDEX delivery_stuck;
CREATE INDEX delivery_stuck ON delivery (tenant, state, reason, (coalesce(fault_code, '')), seq, fault_code)
WHERE state IN ('parked','quarantined');
CREATE INDEX link_seldom ON link (tenant, status, seq) WHERE status IN ('proposed','revoked');
`;

export const listsOfMany: Migration = { version: 14, name: 'lists-of-many', sqlite: SQL, postgres: SQL };
