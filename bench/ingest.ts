import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { median, round, type Figure } from './figure.ts';
import { TEMPLATE_MARK, load, makeBodies, type Loaded } from './load.ts';
import { startGateway, startServer } from './side.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const WARM_MS = 1_500;

/** A clinical_ready of 16 entries, each its own document by its id. */
const aDelivery = (): string =>
  JSON.stringify(aClinicalReady({ bundleId: `bundle-${TEMPLATE_MARK}`, clientUuid: 'bench' }));

/** Durable acknowledgements against a server that only parses the same body, in turns. */
export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const nextBody = makeBodies(aDelivery());
  const bytes = nextBody().length;
  const ours = await startGateway(join(folder, 'chartgate.db'), { CHARTGATE_CLIENT_UUID: 'bench' });
  const theirs = await startServer('bench/noop-server.ts');
  const settledSound = async (): Promise<boolean> =>
    /settled_total\{state="parked",reason="unlinked"\}/.test(
      await (await fetch(`http://127.0.0.1:${ours.port}/metrics`)).text(),
    );
  const results = { ours: [] as (Loaded & { cpuUs: number })[], theirs: [] as (Loaded & { cpuUs: number })[] };
  try {
    for (const side of [ours, theirs]) await load(side.port, side.path, nextBody, CONNECTIONS, { ms: WARM_MS });
    for (let i = 0; i < ROUNDS; i += 1)
      for (const [name, side] of [
        ['ours', ours],
        ['theirs', theirs],
      ] as const) {
        const before = await side.cpuSeconds();
        const loaded = await load(side.port, side.path, nextBody, CONNECTIONS, { ms: ROUND_MS });
        const count = [...loaded.statuses.values()].reduce((a, b) => a + b, 0);
        if (loaded.statuses.get(202) !== count) throw new Error(`${name}: not every answer was 202`);
        results[name].push({ ...loaded, cpuUs: (((await side.cpuSeconds()) - before) * 1e6) / count });
      }
    if (!(await settledSound())) throw new Error('the deliveries of this bench are not sound');
  } finally {
    for (const { kill } of [ours, theirs]) kill();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (side: 'ours' | 'theirs', what: 'perSecond' | 'p99Ms' | 'cpuUs'): number =>
    median(results[side].map((one) => one[what]));
  const figure = (title: string, what: 'perSecond' | 'p99Ms' | 'cpuUs', unit: string, note: string): Figure => ({
    bench: 'ingest',
    figure: title,
    ratio: round(what === 'perSecond' ? of('ours', what) / of('theirs', what) : of('theirs', what) / of('ours', what)),
    ours: round(of('ours', what)),
    theirs: round(of('theirs', what)),
    unit,
    note,
  });
  yield figure(
    'ack-vs-noop',
    'perSecond',
    'acknowledged/s',
    `${bytes} bytes, ${CONNECTIONS} connections, SQLite FULL, judged in the same time; theirs: Express 5 and express.json()`,
  );
  yield figure('p99-vs-noop', 'p99Ms', 'ms', 'p99 of the answer');
  yield figure('cpu-vs-noop', 'cpuUs', 'us of CPU a request', 'all threads of the process, judging included');
}
