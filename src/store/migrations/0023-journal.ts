import type { Migration } from './migration.ts';

/*
 * How far the journal beside a SQLite database is carried out: changed in the transaction that carries it out, and made by
 * the first start. What cannot be carried out was acknowledged all the same, and is put aside.
 */
const sqlite = `
CREATE TABLE store_journal (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  carried_place INTEGER NOT NULL
) STRICT;
CREATE TABLE journal_aside (
  place INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  args_sealed BLOB NOT NULL,
  aside_at INTEGER NOT NULL
) STRICT;
`;

/** Has no journal, and never a row in these. */
const postgres = `
CREATE TABLE store_journal (
  one integer PRIMARY KEY CHECK (one = 1),
  carried_place bigint NOT NULL
);
CREATE TABLE journal_aside (
  place bigint PRIMARY KEY,
  name text NOT NULL,
  args_sealed bytea NOT NULL,
  aside_at bigint NOT NULL
);
`;

export const journal: Migration = { version: 23, name: 'journal', sqlite, postgres };
