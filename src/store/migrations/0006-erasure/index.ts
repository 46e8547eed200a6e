import type { Migration } from '../migration.ts';

/*
 * A patient may leave. `link.withdraw_at`: what was charted through a revoked link is to leave the chart; `job.because` says why a
 * retraction is made (null: a re-link). `user_key` holds one key a source user, sealed by the data key; `delivery.body_key_sealed` the
 * key of one body, sealed by the data key until its user is known and by the user's key from then on. Erasing a user empties
 * `key_sealed` and leaves `erased_at`, so that what comes later of the same user is recognised and dropped.
 */

const step = (bytes: string, moment: string, text: string, ending: string): string => `
ALTER TABLE link ADD COLUMN withdraw_at ${moment};
ALTER TABLE job ADD COLUMN because ${text};
ALTER TABLE delivery ADD COLUMN body_key_sealed ${bytes};

CREATE TABLE user_key (
  tenant ${text} NOT NULL,
  user_index ${bytes} NOT NULL,
  key_sealed ${bytes},
  made_at ${moment} NOT NULL,
  erased_at ${moment},
  PRIMARY KEY (tenant, user_index)
)${ending};
`;

export const erasure: Migration = {
  version: 6,
  name: 'erasure',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID'),
  postgres: step('bytea', 'bigint', 'text', ''),
};
