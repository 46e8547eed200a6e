import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '../support/new-store.ts';
import { makePostgresServer } from '../support/postgres-server.ts';
import { serveSettings } from '../support/run-process.ts';
import type { Found } from './check-acknowledged.ts';
import { readPostgres, readSqlite, vaultOf } from './read-found.ts';

/** A database of one's own, and the settings of the gateway that keeps coming back to it. */
export interface ChaosPlace {
  readonly settings: Readonly<Record<string, string>>;
  readonly server: { crash(): Promise<void>; start(): Promise<void> } | null;
  find(): Promise<Found>;
  remove(): Promise<void>;
}

const settingsFor = (databaseUrl: string): Record<string, string> => ({
  ...serveSettings(databaseUrl),
  CHARTGATE_ADMIN_TOKEN: randomBytes(32).toString('hex'),
});

export interface SqliteChaosPlace extends ChaosPlace {
  /** Holds the database and nothing else. */
  readonly folder: string;
  /** Goes with the place. */
  readonly work: string;
}

export function makeSqlitePlace(): SqliteChaosPlace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'chartgate-chaos-')));
  const folder = join(top, 'db');
  const work = join(top, 'work');
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(work);
  const file = join(folder, 'chartgate.db');
  const settings = settingsFor(`sqlite:${file}?filesystem=any`);
  const vault = vaultOf(settings);
  return {
    settings,
    server: null,
    folder,
    work,
    find: () => readSqlite(file, vault),
    remove() {
      rmSync(top, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** A server that says it has committed before it has: what others write is lost by a crash. */
const WEAK = ['-c', 'synchronous_commit=off', '-c', 'wal_writer_delay=10s', '-c', 'wal_writer_flush_after=1GB'];

export async function makePostgresPlace(commits: 'sound' | 'weak' = 'sound'): Promise<ChaosPlace> {
  const server = await makePostgresServer();
  const flags = commits === 'weak' ? WEAK : [];
  await server.stop();
  await server.start(flags);
  await withClient(server.url('postgres'), (client) => client.query('CREATE DATABASE chaos'));
  const url = server.url('chaos');
  const settings = settingsFor(url);
  const vault = vaultOf(settings);
  return {
    settings,
    server: { crash: () => server.stop('immediate'), start: () => server.start(flags) },
    find: () => readPostgres(url, vault),
    remove: () => server.remove(),
  };
}
