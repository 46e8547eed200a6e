import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  StartError,
  errorCode,
  isError,
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
import type { StoreEnvironment } from '../identity.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { OWN_SETS } from '../own-sets.ts';
import { makeVault, type VaultKeys } from '../vault.ts';
import { scrubPostgres } from './scrub.ts';
import { makeWriteQueue, QUEUE_LIMITS, type QueueLimits, type RunBatch, type WriteQueue } from '../write-queue.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { addressOf, clientConfig, endClient, makeDb } from './connect.ts';
import { ALWAYS_DURABLE, findUndurable, Undurable } from './durability.ts';
import { mayComeUp, storeFault, wasInTheWay } from './errors.ts';
import { gatherCommands } from './gather-commands.ts';
import { openWriter, type OpenWriter } from './open-writer.ts';
import { migrate, settleIdentity, settleKeptKeys } from './migrate.ts';

const WRITERS = 3;
const READERS = 8;
const BATCH_COUNT = 64;
/** How often the server's settings are looked at again. */
const CHECK_MS = 30_000;
/** How often a store that could not write tries again by itself. */
const PROBE_MS = 1_000;
const POOL_CLOSE_MS = 2_000;
const START = { patienceMs: 30_000, everyMs: 500 } as const;

const WORDS: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refuses the user name or password in CHARTGATE_DATABASE_URL.',
  '28000': 'PostgreSQL refuses this user. Check pg_hba.conf and CHARTGATE_DATABASE_URL.',
  '3D000': 'The database that CHARTGATE_DATABASE_URL names does not exist. Create it and start again.',
  '42501': 'The user in CHARTGATE_DATABASE_URL may not create tables in this database.',
};

/** A refusal in words, or the refusal itself. */
export function explain(thrown: unknown): unknown {
  const words = WORDS[errorCode(thrown) ?? ''];
  return words === undefined ? thrown : new StartError('store.refused', words, thrown);
}

/** A server that is not there yet is waited for; any other refusal is final. */
export async function firstConnection(
  url: string,
  name: string,
  clock: Clock,
  log: Log,
  patienceMs: number,
): Promise<pg.Client> {
  const from = clock.monotonicMs();
  for (let tries = 0; ; tries += 1) {
    let client: pg.Client | undefined;
    try {
      client = new pg.Client(clientConfig(url, name));
      client.on('error', () => undefined);
      await client.connect();
      if (tries > 0) log.info('store.recovered', { engine: 'postgres' });
      return client;
    } catch (thrown) {
      if (client !== undefined) void endClient(client);
      const explained = explain(thrown);
      if (explained !== thrown) throw explained;
      if (!mayComeUp(thrown))
        throw new StartError(
          'store.refused',
          'PostgreSQL refuses the connection that CHARTGATE_DATABASE_URL describes, or a file that it names is missing.',
          thrown,
        );
      if (clock.monotonicMs() - from > patienceMs)
        throw new StartError(
          'store.unreachable',
          `PostgreSQL cannot be reached at ${addressOf(url)}. Check that it runs there; CHARTGATE_DATABASE_URL says where.`,
          thrown,
        );
      if (tries === 0)
        log.warn('store.lost', {
          engine: 'postgres',
          faultCode: 'store.unreachable',
          address: addressOf(url),
          setting: 'CHARTGATE_DATABASE_URL',
        });
      await pause(START.everyMs);
    }
  }
}

export async function checkDurable(client: pg.Client): Promise<void> {
  const reason = await findUndurable(client);
  if (reason !== null)
    throw new StartError(
      'store.not-durable',
      `PostgreSQL would lose acknowledged data: ${reason}. Change that setting and start again.`,
    );
}

export async function openPostgres(deps: {
  readonly url: string;
  readonly keys: VaultKeys;
  readonly instance: string;
  readonly environment: StoreEnvironment;
  readonly sets: readonly AnyCommandSet[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<QueueLimits>;
  readonly startPatienceMs?: number;
  readonly checkMs?: number;
}): Promise<Store> {
  let vault = makeVault(deps.keys);
  const files = await Promise.all([...OWN_SETS, ...deps.sets].map((set) => set.postgres()));
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
    await checkDurable(first);
    await first.query(ALWAYS_DURABLE);
    const migrated = await migrate(first, MIGRATIONS, deps.clock.now().getTime());
    for (const migration of migrated) deps.log.info('store.migrated', { engine: 'postgres', migration });
    identity = await settleIdentity(first, vault, randomUUID(), deps.environment, deps.clock.now().getTime());
    vault = await settleKeptKeys(first, vault, deps.keys, deps.clock.now().getTime());
    version = (await first.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version ?? '';
  } catch (thrown) {
    throw explain(thrown);
  } finally {
    await endClient(first);
  }

  let breakIt: (value: { code: 'store.wrong-database'; cause: unknown }) => void = () => undefined;
  const broken = new Promise<{ code: 'store.wrong-database'; cause: unknown }>((resolve) => {
    breakIt = resolve;
  });
  const watch = makeHealthWatch({ engine: 'postgres', log: deps.log });
  let lastFault: Fault = fault('store.unreachable');
  let undurable: string | null = null;
  const isAnyUp = (): boolean => writers.some((one) => one.isUp());
  /** Readiness is proven by a commit, not by a connection. */
  /** Where it cannot be carried out at all, the look at the identity of the database says what is wrong. */
  const beat = (): void =>
    void queues.beside.push('store.beat', { nowMs: deps.clock.now().getTime() }).catch(() => undefined);

  const writers: readonly OpenWriter[] = Array.from({ length: WRITERS }, (_, n) =>
    openWriter({
      url: deps.url,
      name: `${deps.instance}.${n}`,
      vault,
      commands: writes,
      identity,
      checkMs: deps.checkMs ?? CHECK_MS,
      onFree: () => wake(),
      onLost: (why) => {
        lastFault = why.code === 'store.commit-unknown' ? fault('store.unreachable', { cause: why.cause }) : why;
        if (why.cause instanceof Undurable) undurable = why.cause.message;
        // Settings are the server's, not the connection's: what one has learned holds for all.
        if (why.code === 'store.not-durable') for (const other of writers) other.suspect(why);
        // One connection of several may end for reasons of its own; the store is lost when none is left.
        if (!isAnyUp()) watch.lost(lastFault);
      },
      onBack: () => {
        if (watch.state() !== 'ready') beat();
      },
      onWrongDatabase: (found) =>
        breakIt({
          code: 'store.wrong-database',
          cause: new Error(found === null ? 'empty database' : 'other identity'),
        }),
      onRetiredKey: (why) => breakIt({ code: 'store.wrong-database', cause: why }),
    }),
  );

  /** Runs a batch on a writer that is free. A connection has caches of its own: each queue begins at its own end. */
  const runOn = (find: (isFree: (one: OpenWriter) => boolean) => OpenWriter | undefined) => (): RunBatch | null => {
    const free = find((one) => one.isFree());
    if (free === undefined) return null;
    return async (asks) => {
      const from = deps.clock.monotonicMs();
      const { outcomes, fault: why } = await free.run(asks);
      if (why === null) watch.committed(outcomes.filter(({ done }) => done).length, deps.clock.monotonicMs() - from);
      else if (why.code === 'store.full' || !isAnyUp()) watch.failed(why);
      wake();
      return outcomes;
    };
  };
  const queueOf = (take: () => RunBatch | null, concurrency: number): WriteQueue =>
    makeWriteQueue({
      take,
      concurrency,
      nowMs: () => deps.clock.monotonicMs(),
      whyWaiting: (): FaultCode => (isAnyUp() ? 'store.queue-full' : lastFault.code),
      limits: { ...QUEUE_LIMITS, batchCount: BATCH_COUNT, ...deps.limits },
    });
  /** What goes in one line never waits for a writer behind what goes beside it. */
  const queues = {
    inLine: queueOf(
      runOn((isFree) => writers.find(isFree)),
      1,
    ),
    beside: queueOf(
      runOn((isFree) => writers.findLast(isFree)),
      WRITERS - 1,
    ),
  };
  const wake = (): void => Object.values(queues).forEach((queue) => queue.wake());
  const sizeOf = (what: 'count' | 'bytes'): number =>
    Object.values(queues).reduce((sum, queue) => sum + queue.size()[what], 0);

  const probe = setInterval(() => {
    if (watch.state() !== 'ready' && isAnyUp() && sizeOf('count') === 0) beat();
  }, PROBE_MS).unref();

  const pool = new pg.Pool({
    ...clientConfig(deps.url, `chartgate/${deps.instance}/read`),
    max: READERS,
    idleTimeoutMillis: 30_000,
  });
  pool.on('error', () => undefined);
  // The pool takes its own listener off a connection that is lent out; one without any would end the process when it
  // breaks.
  const brokenClients = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.on('error', () => brokenClients.add(client));
    client.on('end', () => brokenClients.add(client));
  });

  async function read(name: string, args: unknown): Promise<Result<unknown>> {
    const query = reads.one.get(name);
    if (query === undefined) throw new Error(`no query is named ${name}`);
    if (isClosed) return fail(fault('store.closed'));
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (thrown) {
      return fail(fault(storeFault(thrown) ?? 'store.unreachable', { cause: thrown }));
    }
    const db = makeDb(client);
    try {
      const value = await query({ db, vault, writer: '', memory: makeWriterMemory(), engine: 'postgres' }, args);
      client.release();
      return ok(value);
    } catch (thrown) {
      const isSilent = isError(thrown) && thrown.message === 'Query read timeout';
      const code =
        isSilent || brokenClients.has(client)
          ? 'store.unreachable'
          : (storeFault(thrown) ?? (wasInTheWay(thrown) ? 'store.busy' : null));
      client.release(code !== null && code !== 'store.busy');
      if (code === null) throw thrown;
      return fail(fault(code, { cause: thrown }));
    } finally {
      db.end();
    }
  }

  let isClosed = false;
  let closing: Promise<void> | undefined;
  deps.log.info('store.opened', { engine: 'postgres', version });
  return {
    engine: 'postgres',
    engineVersion: version,
    use: ({ inOneLine, soon = [] }) => {
      const queue = inOneLine === true ? queues.inLine : queues.beside;
      return {
        write: (name, args) => queue.push(name, args, soon.includes(name) ? 'soon' : 'now'),
        // What it locks is in the way of nobody who waits for an acknowledgement.
        writeBehind: (name, args) => queues.inLine.push(name, args, 'behind'),
        read: (name, args) => read(name, args),
        // Other replicas write too.
        readKept: (name, args) => read(name, args),
      };
    },
    health: (): StoreHealth => {
      const state = isClosed ? 'store.closed' : watch.state();
      const reason = state === 'store.not-durable' && undurable !== null ? { reason: undurable } : {};
      return { state, ...reason, queued: sizeOf('count'), queuedBytes: sizeOf('bytes') };
    },
    figures: watch.figures,
    broken,
    scrub: () => scrubPostgres(deps.url, `chartgate/${deps.instance}/scrub`),
    close() {
      closing ??= (async () => {
        isClosed = true;
        clearInterval(probe);
        await Promise.all(Object.values(queues).map((queue) => queue.close()));
        await Promise.all(writers.map((one) => one.close()));
        // Connections that are lent out to a silent server are given up with the process.
        await Promise.race([pool.end(), pause(POOL_CLOSE_MS, undefined, { ref: false })]);
      })();
      return closing;
    },
  };
}
