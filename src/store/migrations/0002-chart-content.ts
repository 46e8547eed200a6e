import type { Migration } from './migration.ts';

/*
 * What stands in a chart is judged by its content. `fingerprint` is that content, part by part, in keyed hashes;
 * `intents` is what an attempt meant to make of each resource, until its outcome is known; `kept_at` says that a person
 * left a resource as somebody else has it; `sides_sealed` holds what both sides of a conflict say; `habits` how the EHR
 * changes what it is given.
 */
const columns = (bytes: string, moment: string, text: string): string => `
ALTER TABLE written_resource ADD COLUMN fingerprint ${bytes};
ALTER TABLE written_resource ADD COLUMN kept_at ${moment};
ALTER TABLE attempt ADD COLUMN intents ${bytes};
ALTER TABLE foreign_change ADD COLUMN fingerprint ${bytes};
ALTER TABLE foreign_change ADD COLUMN sides_sealed ${bytes};
ALTER TABLE target ADD COLUMN habits ${text};
`;

export const chartContent: Migration = {
  version: 2,
  name: 'chart-content',
  sqlite: columns('BLOB', 'INTEGER', 'TEXT'),
  postgres: columns('bytea', 'bigint', 'text'),
};
