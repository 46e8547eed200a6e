import type { Migration } from './migration.ts';

/*
 * For a list of more than two in the condition of an index SQLite makes a table for each record that is written: there
 * were four such indexes. Types that are compared one by one need none. PostgreSQL has no such trouble.
 */
const oneOf = (...types: readonly string[]): string => `(${types.map((type) => `type = '${type}'`).join(' OR ')})`;
const noneOf = (...types: readonly string[]): string => types.map((type) => `type <> '${type}'`).join(' AND ');

const ACTS = `${oneOf('admin', 'link.change', 'operator.sign-in', 'delivery.change')} AND substr(record, 1, 31) <> '{"action":"U","actor":"gateway"'`;

const sqlite = `
DROP INDEX audit_seldom;
DROP INDEX audit_acts;
DROP INDEX audit_looks;
DROP INDEX audit_by_actor;
CREATE INDEX audit_seldom ON audit_record (tenant, type, at) WHERE ${noneOf('hook.accept', 'delivery.change', 'ehr.write', 'ehr.read', 'fhir.read', 'fhir.search')};
CREATE INDEX audit_acts ON audit_record (tenant, at) WHERE ${ACTS};
CREATE INDEX audit_looks ON audit_record (tenant, at, client, patient, chart) WHERE ${oneOf('admin', 'link.change', 'fhir.read', 'fhir.search', 'fhir.deny', 'auth.sign-in', 'auth.grant', 'auth.reject')};
CREATE INDEX audit_by_actor ON audit_record (tenant, json_extract(record, '$.actor'), at) WHERE ${ACTS};
`;

export const typesOneByOne: Migration = { version: 21, name: 'types-one-by-one', sqlite, postgres: 'SELECT 1;' };
