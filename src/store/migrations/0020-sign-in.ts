import type { Migration } from './migration.ts';

/*
 * People for whom the hospital's OpenID provider vouches: nobody else of the same provider is the same practitioner
 * (`user_index`, a keyed hash). And the last step of an authenticator app whose code an account used.
 */
const step = (bytes: string, count: string): string => `
ALTER TABLE auth_account ADD COLUMN user_index ${bytes};
ALTER TABLE auth_account ADD COLUMN factor_step ${count};
CREATE UNIQUE INDEX auth_account_by_user ON auth_account (tenant, user_index) WHERE user_index IS NOT NULL;
`;

export const signIn: Migration = {
  version: 20,
  name: 'sign-in',
  sqlite: step('BLOB', 'INTEGER'),
  postgres: step('bytea', 'bigint'),
};
