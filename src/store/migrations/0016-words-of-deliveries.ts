import type { Migration } from './migration.ts';

/*
 * Which words that nobody has mapped a parked delivery waits for, under the keyed hashes that `unmapped` has them by. A
 * row stands here as long as its delivery is parked as unmapped; what was parked before has none until it is judged
 * again.
 */
const step = (place: string, text: string, bytes: string, ending: string): string => `
CREATE TABLE delivery_word (
  seq ${place} NOT NULL REFERENCES delivery (seq),
  tenant ${text} NOT NULL,
  word_index ${bytes} NOT NULL,
  PRIMARY KEY (seq, word_index)
)${ending};
CREATE INDEX delivery_word_by_word ON delivery_word (tenant, word_index, seq);
`;

export const wordsOfDeliveries: Migration = {
  version: 16,
  name: 'words-of-deliveries',
  sqlite: step('INTEGER', 'TEXT', 'BLOB', ' STRICT, WITHOUT ROWID'),
  postgres: step('bigint', 'text', 'bytea', ''),
};
