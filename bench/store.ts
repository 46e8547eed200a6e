import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileBeside, secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type AnyCommandSet, type Database } from '../src/store/index.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { withClient } from '../test/support/new-store.ts';
import { probeSet } from '../test/support/probe-commands/index.ts';
import { median, round, type Figure } from './figure.ts';

const BODY_BYTES = 8 * 1024;
const ROUNDS = 3;
const ROUND_MS = 1_500;
const CONCURRENCY = [1, 16, 64] as const;

const slowCommit: AnyCommandSet = {
  sqlite: fileBeside(import.meta.url, './slow-commit/sqlite'),
  postgres: () => Promise.resolve({ writes: {}, reads: {} }),
};
const key = (n: number) => secret(Buffer.alloc(32, n).toString('base64'));

/** Bare appends of 8 kB, each flushed: what the disk itself allows. */
function flushesPerSecond(folder: string): number {
  const file = join(folder, 'flush');
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(BODY_BYTES, 1);
  const from = performance.now();
  let count = 0;
  while (performance.now() - from < ROUND_MS) {
    writeSync(handle, block);
    fdatasyncSync(handle);
    count += 1;
  }
  const rate = (count * 1000) / (performance.now() - from);
  closeSync(handle);
  rmSync(file);
  return rate;
}

let made = 0;
interface Measured {
  readonly perSecond: number;
  readonly loopP99Ms: number;
}

/** `concurrency` senders, each of which waits for its acknowledgement before it sends again. */
async function measure(open: () => ReturnType<typeof openStore>, concurrency: number): Promise<Measured> {
  const store = await open();
  const probe = store.use(probeSet);
  const body = new Uint8Array(BODY_BYTES).fill(7);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const from = performance.now();
  let count = 0;
  delay.enable();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() - from < ROUND_MS) {
        made += 1;
        const put = await probe.write('probe.put', { id: `dlv_${made}`, body, atMs: made });
        if (!put.ok) throw new Error(put.fault.code);
        count += 1;
      }
    }),
  );
  const perSecond = (count * 1000) / (performance.now() - from);
  delay.disable();
  await store.close();
  return { perSecond, loopP99Ms: delay.percentile(99) / 1e6 };
}

/** Durable inserts (8 kB body and an audit row) on both engines, beside a loop of bare flushes on the same disk. */
export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const server = await makePostgresServer();
  const keys = { data: [key(1)], pseudonym: key(2) };
  const openAt = (database: Database, sets: readonly AnyCommandSet[]) => () =>
    openStore({ database, keys, instance: 'ins_bench', sets, clock: systemClock, log: silentLog });
  const sqlite = (name: string): Database => ({
    engine: 'sqlite',
    file: join(folder, name, 'chartgate.db'),
    filesystem: 'any',
    folder: 'make',
  });

  await withClient(server.url('postgres'), (client) => client.query('CREATE DATABASE bench'));
  const sides = {
    sqlite: openAt(sqlite('plain'), [probeSet]),
    'sqlite, commit +5 ms': openAt(sqlite('slow'), [probeSet, slowCommit]),
    postgres: openAt({ engine: 'postgres', url: secret(server.url('bench')) }, [probeSet]),
  };
  const results = new Map<string, Measured[]>();
  const flushes: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      flushes.push(flushesPerSecond(folder));
      for (const [side, open] of Object.entries(sides))
        for (const concurrency of CONCURRENCY) {
          const label = `${side}/${concurrency}`;
          results.set(label, [...(results.get(label) ?? []), await measure(open, concurrency)]);
        }
    }
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }

  const rate = (label: string): number => median((results.get(label) ?? []).map((one) => one.perSecond));
  const loop = (label: string): number => median((results.get(label) ?? []).map((one) => one.loopP99Ms));
  const flush = median(flushes);
  const slow = 'sqlite, commit +5 ms';
  yield {
    bench: 'store',
    figure: 'sqlite-64-vs-1',
    ratio: round(rate(`${slow}/64`) / rate(`${slow}/1`)),
    ours: round(rate(`${slow}/64`)),
    theirs: round(rate(`${slow}/1`)),
    unit: 'durable inserts/s',
    note: `each commit 5 ms slower; event-loop p99 ${round(loop(`${slow}/64`))} ms at 64`,
  };
  for (const side of ['sqlite', 'postgres'])
    for (const concurrency of CONCURRENCY)
      yield {
        bench: 'store',
        figure: `${side}-${concurrency}-vs-fdatasync`,
        ratio: round(rate(`${side}/${concurrency}`) / flush),
        ours: round(rate(`${side}/${concurrency}`)),
        theirs: round(flush),
        unit: 'per second',
        note: `event-loop p99 ${round(loop(`${side}/${concurrency}`))} ms`,
      };
}
