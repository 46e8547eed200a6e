import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import pg from 'pg';
import { auditSet } from '../src/audit/index.ts';
import { identitySet } from '../src/identity/index.ts';
import { inboxSet } from '../src/inbox/index.ts';
import { deliverSet, laneSet } from '../src/lanes/index.ts';
import { MIGRATIONS } from '../src/store/migrations/index.ts';
import { clientConfig } from '../src/store/postgres/connect.ts';
import { gatherCommands } from '../src/store/postgres/gather-commands.ts';
import * as postgresSchema from '../src/store/postgres/migrate.ts';
import { makeRunBatch as makePostgresBatch } from '../src/store/postgres/run-batch.ts';
import { loadCommands } from '../src/store/sqlite/load-commands.ts';
import * as sqliteSchema from '../src/store/sqlite/migrate.ts';
import { openWriter } from '../src/store/sqlite/open-database.ts';
import { makeRunBatch as makeSqliteBatch } from '../src/store/sqlite/run-batch.ts';
import { makeVault } from '../src/store/vault.ts';
import type { Ask } from '../src/store/write-queue.ts';
import { withClient } from '../test/support/new-store.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';

const SETS = [auditSet, inboxSet, identitySet, deliverSet, laneSet];
const KEYS = { data: [new Uint8Array(32).fill(1)], pseudonym: new Uint8Array(32).fill(2) };

/** The commands of one engine, with every statement counted. */
export interface Driven {
  run(asks: readonly Ask[]): Promise<readonly unknown[]>;
  /** The places of deliveries, asked past what is counted. */
  seqsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What was sent since the last time it was asked: how often each text, in how much time, in how many round trips. */
  take(): { readonly texts: ReadonlyMap<string, Spent>; readonly trips: number };
  end(): Promise<void>;
}
export interface Spent {
  readonly count: number;
  readonly ms: number;
}

function makeCount() {
  let texts = new Map<string, Spent>();
  let trips = 0;
  return {
    add(sql: string, ms: number): void {
      const text = sql
        .replace(/\s+/g, ' ')
        .replace(/command_\d+/, 'command')
        .trim();
      const { count, ms: before } = texts.get(text) ?? { count: 0, ms: 0 };
      texts.set(text, { count: count + 1, ms: before + ms });
    },
    trip: (): void => void (trips += 1),
    take() {
      const taken = { texts, trips };
      [texts, trips] = [new Map<string, Spent>(), 0];
      return taken;
    },
  };
}

export async function driveSqlite(): Promise<Driven> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const real = openWriter(join(folder, 'chartgate.db'));
  sqliteSchema.migrate(real, MIGRATIONS, Date.now());
  sqliteSchema.settleIdentity(real, makeVault(KEYS), 'bench', 'production', Date.now());
  const vault = sqliteSchema.settleKeptKeys(real, makeVault(KEYS), KEYS, Date.now());
  const count = makeCount();
  const timed = <T>(sql: string, work: () => T): T => {
    const from = performance.now();
    const done = work();
    count.add(sql, performance.now() - from);
    return done;
  };
  const db = new Proxy(real, {
    get(of, name) {
      if (name === 'prepare')
        return (sql: string) => {
          const statement = of.prepare(sql);
          const ask =
            (want: 'get' | 'all' | 'run') =>
            (...values: never[]) =>
              timed(sql, () => (statement[want] as (...all: never[]) => unknown).apply(statement, values));
          return { get: ask('get'), all: ask('all'), run: ask('run') } as unknown as StatementSync;
        };
      if (name === 'exec') return (sql: string) => timed(sql, () => of.exec(sql));
      const found: unknown = Reflect.get(of, name, of);
      return typeof found === 'function' ? (found as () => unknown).bind(of) : found;
    },
  });
  const commands = await loadCommands(
    SETS.map((set) => set.sqlite.href),
    'writes',
  );
  const give = (thrown: unknown): never => {
    throw thrown;
  };
  const runBatch = makeSqliteBatch(db, { vault, writer: 'ins_bench.0' }, commands, {
    broken: give,
    aside: (_, thrown) => give(thrown),
  });
  return {
    run: (asks) =>
      Promise.resolve(
        runBatch(asks).outcomes.map((one) => {
          if (!one.done) throw new Error(one.error.message);
          return one.out;
        }),
      ),
    seqsOf: (ids) =>
      Promise.resolve(
        new Map(
          ids.map(
            (id) => [id, Number(real.prepare('SELECT seq FROM delivery WHERE id = ?').get(id)?.['seq'])] as const,
          ),
        ),
      ),
    take: count.take,
    end() {
      real.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

export async function drivePostgres(): Promise<Driven> {
  const server = await makePostgresServer();
  await withClient(server.url('postgres'), (client) => client.query('CREATE DATABASE bench'));
  const url = server.url('bench');
  const plain = new pg.Client(url);
  await plain.connect();
  await postgresSchema.migrate(plain, MIGRATIONS, Date.now());
  await postgresSchema.settleIdentity(plain, makeVault(KEYS), 'bench', 'production', Date.now());
  const vault = await postgresSchema.settleKeptKeys(plain, makeVault(KEYS), KEYS, Date.now());
  const real = new pg.Client({ ...clientConfig(url, 'ins_bench.0'), pipeline: true });
  await real.connect();
  const count = makeCount();
  let unanswered = 0;
  const client = new Proxy(real, {
    get(of, name) {
      if (name !== 'query') {
        const found: unknown = Reflect.get(of, name, of);
        return typeof found === 'function' ? (found as () => unknown).bind(of) : found;
      }
      return (asked: string | { text: string }) => {
        if (unanswered === 0) count.trip();
        unanswered += 1;
        const from = performance.now();
        const answer = of.query(asked as string);
        const settled = (): void => {
          unanswered -= 1;
          count.add(typeof asked === 'string' ? asked : asked.text, performance.now() - from);
        };
        answer.then(settled, settled);
        return answer;
      };
    },
  });
  const commands = gatherCommands(await Promise.all(SETS.map((set) => set.postgres())), 'writes');
  const runBatch = makePostgresBatch(client, vault, 'ins_bench.0', commands);
  return {
    run: async (asks) =>
      (await runBatch(asks)).outcomes.map((one) => {
        if (!one.done) throw 'bug' in one ? one.bug : new Error(one.fault.code);
        return one.out;
      }),
    async seqsOf(ids) {
      const { rows } = await plain.query<{ id: string; seq: string }>(
        'SELECT id, seq FROM delivery WHERE id = ANY($1)',
        [ids],
      );
      return new Map(rows.map(({ id, seq }) => [id, Number(seq)]));
    },
    take: count.take,
    async end() {
      await Promise.all([real.end(), plain.end()]);
      await server.remove();
    },
  };
}
