import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeAdminClient, ROUTE_TABLE } from '../src/admin/index.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load, type NextBody } from './load.ts';
import { metricsOf, startGateway, startServer, type Side } from './side.ts';

const WATCHERS = 20;
const CONNECTIONS = 16;
/** Until the compiler has seen everything. */
const WARM_MS = 20_000;
/** Pairs of windows, with and without; in every second pair the other one comes first. It ends by the clock. */
const MEASURE_MS = 300_000;
const WINDOW_MS = 1_600;
/** Not measured: whoever comes and goes costs something once, which is no part of watching. */
const SETTLE_MS = 250;
/** So many are under way at once: the lanes always have work, and no backlog grows. */
const UNDER_WAY = 300;
const BATCH = 64;
const GOAL = 0.02;
const CPU = 'process_cpu_seconds_total';
const DELIVERED = 'chartgate_ehr_attempt_seconds_count{outcome="delivered",reason=""}';

/** So many who read all that they are told, until they are let go. */
async function watchAll(port: number): Promise<{ readonly told: () => number; leave(): Promise<void> }> {
  const client = makeAdminClient({ routes: ROUTE_TABLE, url: `http://127.0.0.1:${port}`, token: ADMIN, fetch });
  const leaving = new AbortController();
  let told = 0;
  const reading = await Promise.all(
    Array.from({ length: WATCHERS }, async () => {
      const watched = await client.watch('flow.stream', { signal: leaving.signal });
      if (watched.kind === 'refused') throw new Error(watched.problem.code);
      const read = async (): Promise<void> => {
        for await (const _event of watched.events) told += 1;
      };
      return { ended: read().catch(() => undefined) };
    }),
  );
  return {
    told: () => told,
    async leave() {
      leaving.abort();
      await Promise.all(reading.map(({ ended }) => ended));
    },
  };
}

/** Delivers at the full rate until it is stopped. The sink is asked how far it is, which costs the gateway nothing. */
function keepDelivering(gateway: Side, sink: Side, nextBody: NextBody): { stop(): Promise<void> } {
  let isStopped = false;
  const arrived = async (): Promise<number> =>
    Number(await (await fetch(`http://127.0.0.1:${sink.port}/count`)).text());
  const delivering = (async () => {
    for (let sent = 0; !isStopped;) {
      if (sent - (await arrived()) >= UNDER_WAY) {
        await pause(5);
        continue;
      }
      const { statuses } = await load(gateway.port, gateway.path, nextBody, CONNECTIONS, { count: BATCH });
      if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
      sent += [...statuses.values()].reduce((sum, count) => sum + count, 0);
    }
  })();
  // Whoever waits for it at the end is told; until then a failure shows as windows without deliveries.
  delivering.catch(() => undefined);
  return {
    stop() {
      isStopped = true;
      return delivering;
    },
  };
}

interface Window {
  /** Of all threads of the gateway, in microseconds for each delivery that the EHR confirmed. */
  readonly cpuUs: number;
  readonly perSecond: number;
}

async function measure({ port }: Side): Promise<Window> {
  await pause(SETTLE_MS);
  const before = await metricsOf(port, [CPU, DELIVERED]);
  const from = performance.now();
  await pause(WINDOW_MS);
  const after = await metricsOf(port, [CPU, DELIVERED]);
  const [cpu = NaN, delivered = NaN] = after.map((value, i) => value - (before[i] ?? NaN));
  if (delivered === 0) throw new Error('nothing was delivered');
  return { cpuUs: (cpu * 1e6) / delivered, perSecond: (delivered * 1_000) / (performance.now() - from) };
}

/** Between which two of the sorted values the median lies, with 95 % confidence. */
function medianRange(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const around = 0.98 * Math.sqrt(sorted.length);
  const at = (place: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(place)))] ?? NaN;
  return [at(sorted.length / 2 - around), at(sorted.length / 2 + around)];
}

export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const results = { watched: [] as Window[], alone: [] as Window[] };
  let told = 0;
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const ours = await startGateway(join(folder, 'chartgate.db'), {
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
    });
    sides.unshift(ours);
    await linkUsers(ours);
    const delivering = keepDelivering(ours, sink, makeDeliveries());
    await pause(WARM_MS);
    const alone = async (): Promise<void> => void results.alone.push(await measure(ours));
    const watched = async (): Promise<void> => {
      const watchers = await watchAll(ours.port);
      results.watched.push(await measure(ours));
      told += watchers.told();
      await watchers.leave();
    };
    const until = performance.now() + MEASURE_MS;
    for (let i = 0; performance.now() < until; i += 1)
      for (const one of i % 2 === 0 ? [alone, watched] : [watched, alone]) await one();
    await delivering.stop();
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const shares = results.watched.map(({ cpuUs }, i) => cpuUs / (results.alone[i]?.cpuUs ?? NaN) - 1);
  const share = median(shares);
  const percent = (value: number): number => round(value * 100);
  const [low, high] = medianRange(shares).map(percent);
  const of = (windows: readonly Window[], what: keyof Window): number => round(median(windows.map((one) => one[what])));
  yield {
    bench: 'stream',
    figure: 'cpu-of-20-watchers',
    ratio: round(GOAL / Math.max(share, 0.0001)),
    ours: of(results.watched, 'cpuUs'),
    theirs: of(results.alone, 'cpuUs'),
    unit: 'us of CPU a delivery',
    note: `${WATCHERS} watchers of the stream at the full rate of deliver (${of(results.watched, 'perSecond')} and ${of(results.alone, 'perSecond')}/s), ${shares.length} pairs of windows of ${WINDOW_MS} ms with and without; ${percent(share)} % more in the median of the pairs (95 %: ${low} to ${high} %); ${told} events were told; theirs: nobody watches; the goal is ${GOAL * 100} %`,
  };
}
