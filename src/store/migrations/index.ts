import { createHash } from 'node:crypto';
import { StartError } from '../../kernel/index.ts';
import { foundation } from './0001-foundation/index.ts';
import { chartContent } from './0002-chart-content.ts';
import { shadow } from './0003-shadow/index.ts';
import { clinicalSafety } from './0004-clinical-safety.ts';
import { alertsOfADay } from './0005-alerts-of-a-day.ts';
import { erasure } from './0006-erasure/index.ts';
import { operators } from './0007-operators.ts';
import { figures } from './0008-figures.ts';
import { grants } from './0009-grants.ts';
import { whatOperatorsSee } from './0010-what-operators-see.ts';
import { bulkJobs } from './0011-bulk-jobs.ts';
import { history } from './0012-history.ts';
import { watching } from './0013-watching.ts';
import { listsOfMany } from './0014-lists-of-many.ts';
import { whoActed } from './0015-who-acted.ts';
import { wordsOfDeliveries } from './0016-words-of-deliveries.ts';
import { subscriptions } from './0017-subscriptions.ts';
import { exports } from './0018-exports.ts';
import { persons } from './0019-persons.ts';
import { signIn } from './0020-sign-in.ts';
import { typesOneByOne } from './0021-types-one-by-one.ts';
import { cheaperRows } from './0022-cheaper-rows.ts';
import { journal } from './0023-journal.ts';
import { ledgerOfDocuments } from './0024-ledger-of-documents.ts';
import type { Migration } from './migration.ts';

export type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  foundation,
  chartContent,
  shadow,
  clinicalSafety,
  alertsOfADay,
  erasure,
  operators,
  figures,
  grants,
  whatOperatorsSee,
  bulkJobs,
  history,
  watching,
  listsOfMany,
  whoActed,
  wordsOfDeliveries,
  subscriptions,
  exports,
  persons,
  signIn,
  typesOneByOne,
  cheaperRows,
  journal,
  ledgerOfDocuments,
];

export type Engine = 'sqlite' | 'postgres';
export interface Applied {
  readonly version: number;
  readonly digest: string;
}
export interface Step {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

const digestOf = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/**
 * What is left to do, in order. Throws where the database has seen steps that this program does not know or knows
 * otherwise.
 */
export function decideSteps(migrations: readonly Migration[], engine: Engine, applied: readonly Applied[]): Step[] {
  const known = new Map(migrations.map((m) => [m.version, m]));
  for (const { version, digest } of applied) {
    const migration = known.get(version);
    if (migration === undefined)
      throw new StartError(
        'store.newer',
        `The database has schema version ${version}, which this program does not know. Start a newer release.`,
      );
    if (digestOf(migration[engine]) !== digest)
      throw new StartError(
        'store.altered',
        `Schema step ${version} of the database differs from this program's. Start the release that made it.`,
      );
  }
  const done = new Set(applied.map((a) => a.version));
  return migrations
    .filter((m) => !done.has(m.version))
    .sort((a, b) => a.version - b.version)
    .map((m) => ({ version: m.version, name: m.name, sql: m[engine], digest: digestOf(m[engine]) }));
}

/** What remembers the steps, tells databases apart, and names the keys that were used. */
export const BOOKKEEPING = {
  sqlite: `
CREATE TABLE IF NOT EXISTS schema_step (version INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS store_identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, pseudonym BLOB NOT NULL, environment TEXT NOT NULL, beat_at INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS store_key (id TEXT PRIMARY KEY, first_used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  postgres: `
CREATE TABLE IF NOT EXISTS schema_step (version bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at bigint NOT NULL);
CREATE TABLE IF NOT EXISTS store_identity (one integer PRIMARY KEY CHECK (one = 1), id text NOT NULL, pseudonym bytea NOT NULL, environment text NOT NULL, beat_at bigint NOT NULL);
CREATE TABLE IF NOT EXISTS store_key (id text PRIMARY KEY, first_used_at bigint NOT NULL);`,
} as const;
