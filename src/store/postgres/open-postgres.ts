import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  StartError,
  errorCode,
  fail,
  fault,
  ok,
  type Clock,
  type Fault,
  type FaultCode,
  type Log,
  type Result,
} from '../../kernel/index.ts';
import type { AnyCommandSet, Store, StoreHealth } from '../commands.ts';
import { makeHealthWatch } from '../health-watch.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { storeSet } from '../own-commands.ts';
import { makeVault, type VaultKeys } from '../vault.ts';
import { makeWriteQueue, QUEUE_LIMITS, type Ask, type Outcome, type QueueLimits } from '../write-queue.ts';
import { clientConfig, findUndurable, makeDb } from './connect.ts';
import { mayComeUp, storeFault, wasInTheWay } from './errors.ts';
import { keepWriter } from './keep-writer.ts';
import { migrate, settleIdentity } from './migrate.ts';
import { gatherCommands } from './run-batch.ts';

const WRITERS = 3;
const READERS = 8;
const BATCH_COUNT = 64;
/** How often the server's settings are looked at again. */
const CHECK_MS = 30_000;
const START = { patienceMs: 30_000, everyMs: 500 } as const;

const WORDS: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refuses the user name or password in CHARTGATE_DATABASE_URL.',
  '28000': 'PostgreSQL refuses this user. Check pg_hba.conf and CHARTGATE_DATABASE_URL.',
  '3D000': 'The database that CHARTGATE_DATABASE_URL names does not exist. Create it and start again.',
  '42501': 'The user in CHARTGATE_DATABASE_URL may not create tables in this database.',
};

/** A server that is not there yet is waited for; any other refusal is final. */
async function firstConnection(url: string, name: string, clock: Clock, log: Log, patienceMs: number): Promise<pg.Client> {
  const from = clock.monotonicMs();
  for (let tries = 0; ; tries += 1) {
    // A schema step, or another replica's, may take its time.
    const { query_timeout: _limit, ...patient } = clientConfig(url, name);
    const client = new pg.Client(patient);
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (tries > 0) log.info('store.recovered', { engine: 'postgres' });
      return client;
    } catch (thrown) {
      client.end().catch(() => undefined);
      const words = WORDS[errorCode(thrown) ?? ''];
      if (words !== undefined) throw new StartError('store.refused', words, thrown);
      if (!mayComeUp(thrown))
        throw new StartError('store.refused', 'PostgreSQL refuses the connection that CHARTGATE_DATABASE_URL describes.', thrown);
      if (clock.monotonicMs() - from > patienceMs)
        throw new StartError(
          'store.unreachable',
          'PostgreSQL cannot be reached. Check that it runs and that CHARTGATE_DATABASE_URL names it.',
          thrown,
        );
      if (tries === 0) log.warn('store.lost', { engine: 'postgres', faultCode: 'store.unreachable' });
      await pause(START.everyMs);
    }
  }
}

export async function openPostgres(deps: {
  readonly url: string;
  readonly keys: VaultKeys;
  readonly instance: string;
  readonly sets: readonly AnyCommandSet[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: QueueLimits;
  readonly startPatienceMs?: number;
  readonly checkMs?: number;
}): Promise<Store> {
  const vault = makeVault(deps.keys);
  const files = await Promise.all([storeSet, ...deps.sets].map((set) => set.postgres()));
  const writes = gatherCommands(files, 'writes');
  const reads = gatherCommands(files, 'reads');

  const first = await firstConnection(
    deps.url,
    `chartgate/${deps.instance}`,
    deps.clock,
    deps.log,
    deps.startPatienceMs ?? START.patienceMs,
  );
  let version = '';
  let identity = '';
  try {
    const reason = await findUndurable(first);
    if (reason !== null)
      throw new StartError(
        'store.not-durable',
        `PostgreSQL would lose acknowledged data: ${reason}. Change that setting and start again.`,
      );
    const migrated = await migrate(first, MIGRATIONS, deps.clock.now().getTime());
    for (const migration of migrated) deps.log.info('store.migrated', { engine: 'postgres', migration });
    identity = await settleIdentity(first, vault, randomUUID(), deps.clock.now().getTime());
    version = (await first.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version ?? '';
  } finally {
    await first.end().catch(() => undefined);
  }

  let breakIt: (value: { code: 'store.wrong-database'; cause: unknown }) => void = () => undefined;
  const broken = new Promise<{ code: 'store.wrong-database'; cause: unknown }>((resolve) => {
    breakIt = resolve;
  });
  const watch = makeHealthWatch({ engine: 'postgres', log: deps.log });
  let lastFault: Fault = fault('store.unreachable');
  const isAnyUp = (): boolean => writers.some((one) => one.isUp);

  const writers = Array.from({ length: WRITERS }, (_, n) => {
    const entry = { isUp: false, kept: null as unknown as ReturnType<typeof keepWriter> };
    entry.kept = keepWriter({
      url: deps.url,
      name: `${deps.instance}.${n}`,
      vault,
      commands: writes,
      identity,
      checkMs: deps.checkMs ?? CHECK_MS,
      onFree: () => queue.wake(),
      onLost: (why) => {
        entry.isUp = false;
        lastFault = why;
        // One connection of several may end for reasons of its own; the store is lost when none is left.
        if (!isAnyUp() || why.code === 'store.not-durable') watch.lost(why);
      },
      onBack: () => {
        entry.isUp = true;
        watch.recovered();
      },
      onWrongDatabase: (found) =>
        breakIt({ code: 'store.wrong-database', cause: new Error(found === null ? 'empty database' : 'other identity') }),
    });
    return entry;
  });

  const queue = makeWriteQueue({
    take() {
      const free = writers.find((one) => one.kept.isFree());
      if (free === undefined) return null;
      return async (asks: readonly Ask[]): Promise<readonly Outcome[]> => {
        const from = deps.clock.monotonicMs();
        const result = await free.kept.run(asks);
        if (result.committed) {
          watch.committed(asks.length, deps.clock.monotonicMs() - from);
          return result.outcomes;
        }
        watch.failed(result.fault);
        return asks.map(() => ({ done: false, fault: result.fault }));
      };
    },
    nowMs: () => deps.clock.monotonicMs(),
    whyWaiting: (): FaultCode => (isAnyUp() ? 'store.queue-full' : lastFault.code),
    limits: { ...QUEUE_LIMITS, batchCount: BATCH_COUNT, ...deps.limits },
  });

  const pool = new pg.Pool({
    ...clientConfig(deps.url, `chartgate/${deps.instance}/read`),
    max: READERS,
    idleTimeoutMillis: 30_000,
  });
  pool.on('error', () => undefined);

  async function read(name: string, args: unknown): Promise<Result<unknown>> {
    const query = reads.one.get(name);
    if (query === undefined) throw new Error(`no query is named ${name}`);
    if (isClosed) return fail(fault('store.closed'));
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      return ok(await query({ db: makeDb(client), vault, writer: '' }, args));
    } catch (thrown) {
      const code = storeFault(thrown) ?? (wasInTheWay(thrown) ? 'store.busy' : null);
      if (code === null) throw thrown;
      client?.release(true);
      client = undefined;
      return fail(fault(code, { cause: thrown }));
    } finally {
      client?.release();
    }
  }

  let isClosed = false;
  deps.log.info('store.opened', { engine: 'postgres', version });
  return {
    engine: 'postgres',
    engineVersion: version,
    use: () => ({
      write: (name, args) => queue.push(name, args),
      read: (name, args) => read(name, args),
    }),
    health: (): StoreHealth => {
      const { count, bytes } = queue.size();
      return { state: isClosed ? 'store.closed' : watch.state(), queued: count, queuedBytes: bytes };
    },
    figures: watch.figures,
    broken,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await queue.close();
      await Promise.all(writers.map((one) => one.kept.close()));
      await pool.end();
    },
  };
}
