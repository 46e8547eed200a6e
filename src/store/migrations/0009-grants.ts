import type { Migration } from './migration.ts';

/*
 * Whose a grant, a session or a backend's token is, so that they can be listed and ended; when it was made and last
 * used; and apps and people who are disabled. The rows from before are told whose they are at the next start, since
 * what they say of it is sealed.
 */
const step = (text: string, moment: string): string => `
ALTER TABLE auth_record ADD COLUMN client_id ${text};
ALTER TABLE auth_record ADD COLUMN account_id ${text};
ALTER TABLE auth_record ADD COLUMN made_at ${moment};
ALTER TABLE auth_record ADD COLUMN used_at ${moment};
CREATE INDEX auth_record_by_client ON auth_record (tenant, client_id, made_at, id_index) WHERE client_id IS NOT NULL;
CREATE INDEX auth_record_by_account ON auth_record (tenant, account_id, made_at, id_index) WHERE account_id IS NOT NULL;
ALTER TABLE auth_client ADD COLUMN disabled_at ${moment};
ALTER TABLE auth_account ADD COLUMN disabled_at ${moment};
ALTER TABLE auth_account ADD COLUMN unlocked_at ${moment};
`;

export const grants: Migration = {
  version: 9,
  name: 'grants',
  sqlite: step('TEXT', 'INTEGER'),
  postgres: step('text', 'bigint'),
};
