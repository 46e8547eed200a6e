import type { Migration } from '../migration.ts';

/*
 * A patient may leave. `link.withdraw_at`: what was charted through a revoked link is to leave the chart; `job.because`
 * says why a retraction is made (null: a re-link). `user_key` holds one key a source user, sealed by the data key. Each
 * delivery has a key too: in `unclaimed_key`, sealed by the data key, until its user is known, and from then on in
 * `delivery.body_key_sealed`, sealed by the user's key. The two are apart so that nothing sealed by the data key was
 * ever written where rows are many. Erasing a user empties `user_key.key_sealed` and leaves `erased_at`, so that what
 * comes later of the same user is recognised and dropped.
 */

const step = (
  bytes: string,
  moment: string,
  text: string,
  place: string,
  ending: readonly [string, string],
): string => `
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
)${ending[1]};

CREATE TABLE unclaimed_key (
  seq ${place} PRIMARY KEY REFERENCES delivery (seq),
  key_sealed ${bytes} NOT NULL
)${ending[0]};
`;

export const erasure: Migration = {
  version: 6,
  name: 'erasure',
  sqlite: step('BLOB', 'INTEGER', 'TEXT', 'INTEGER', [' STRICT', ' STRICT, WITHOUT ROWID']),
  postgres: step('bytea', 'bigint', 'text', 'bigint', ['', '']),
};
