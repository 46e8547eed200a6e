import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeAdminClient, ROUTE_TABLE } from '../src/admin/index.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load } from './load.ts';
import { metricOf, startGateway, startServer, type Side } from './side.ts';

const WATCHERS = 20;
const CONNECTIONS = 16;
const WARM = 3_000;
const PER_ROUND = 3_000;
/** Each with and without, the other one first every second time: a machine gets warm, and a database larger. */
const ROUNDS = 6;
const GIVE_UP_MS = 120_000;
const GOAL = 0.02;
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

/** CPU of all threads of the gateway for each delivery, from the first webhook to the last write. */
async function cpuRound(side: Side, nextBody: () => Buffer, wanted: number): Promise<number> {
  const before = await side.cpuSeconds();
  const from = performance.now();
  const { statuses } = await load(side.port, side.path, nextBody, CONNECTIONS, { count: PER_ROUND });
  if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
  while ((await metricOf(side.port, DELIVERED)) < wanted) {
    if (performance.now() - from > GIVE_UP_MS) throw new Error('not everything was delivered');
    await pause(20);
  }
  return (((await side.cpuSeconds()) - before) * 1e6) / PER_ROUND;
}

export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const results = { watched: [] as number[], alone: [] as number[] };
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
    sides.push(ours);
    await linkUsers(ours);
    const nextBody = makeDeliveries();
    await load(ours.port, ours.path, nextBody, CONNECTIONS, { count: WARM });
    let wanted = WARM;
    const alone = async (): Promise<void> => {
      wanted += PER_ROUND;
      results.alone.push(await cpuRound(ours, nextBody, wanted));
    };
    const watched = async (): Promise<void> => {
      const watchers = await watchAll(ours.port);
      wanted += PER_ROUND;
      results.watched.push(await cpuRound(ours, nextBody, wanted));
      told += watchers.told();
      await watchers.leave();
    };
    for (let i = 0; i < ROUNDS; i += 1)
      for (const one of i % 2 === 0 ? [alone, watched] : [watched, alone]) await one();
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const shares = results.watched.map((with_, i) => with_ / (results.alone[i] ?? NaN) - 1);
  const share = median(shares);
  yield {
    bench: 'stream',
    figure: 'cpu-of-20-watchers',
    ratio: round(GOAL / Math.max(share, 0.0001)),
    ours: round(median(results.watched)),
    theirs: round(median(results.alone)),
    unit: 'us of CPU a delivery',
    note: `${WATCHERS} watchers of the stream at the full rate of deliver, ${ROUNDS} rounds of ${PER_ROUND} with and without; ${round(share * 100)} % more in the median, from ${round(Math.min(...shares) * 100)} to ${round(Math.max(...shares) * 100)} %; ${told} events were told; theirs: nobody watches; the goal is ${GOAL * 100} %`,
  };
}
