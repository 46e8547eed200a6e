import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { median, round, type Figure } from './figure.ts';
import { TEMPLATE_MARK, load, makeBodies } from './load.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { pair, takeTurns, type Round } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const ROUND_MS = 2_000;
/** So little within so long is rest. */
const REST_MS = 250;
const REST_CPU_S = 0.03;

interface Acknowledged extends Round {
  readonly p99Ms: number;
}

/** CPU seconds of a side that has nothing left to do: what it put off until later is its own, not the other side's. */
async function cpuAtRest(side: Side): Promise<number> {
  for (let before = await side.cpuSeconds(); ;) {
    await pause(REST_MS);
    const now = await side.cpuSeconds();
    if (now - before < REST_CPU_S) return now;
    before = now;
  }
}

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
  const roundOf = (side: Side) => async (): Promise<Acknowledged> => {
    const before = await side.cpuSeconds();
    const { perSecond, p99Ms, statuses } = await load(side.port, side.path, nextBody, CONNECTIONS, { ms: ROUND_MS });
    if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
    const after = await cpuAtRest(side);
    return { perSecond, p99Ms, cpuUs: ((after - before) * 1e6) / (statuses.get(202) ?? NaN) };
  };
  let taken: Readonly<Record<'ours' | 'theirs', readonly Acknowledged[]>>;
  try {
    taken = await takeTurns({ ours: roundOf(ours), theirs: roundOf(theirs) }, ROUNDS);
    if (!(await settledSound())) throw new Error('the deliveries of this bench are not sound');
  } finally {
    for (const { kill } of [ours, theirs]) kill();
    rmSync(folder, { recursive: true, force: true });
  }
  const figure = (title: string, what: keyof Acknowledged, unit: string, note: string): Figure => {
    const [us, them] = [taken.ours.map((one) => one[what]), taken.theirs.map((one) => one[what])];
    const { ratio, spread } = what === 'perSecond' ? pair(us, them) : pair(them, us);
    return {
      bench: 'ingest',
      figure: title,
      ratio,
      ours: round(median(us)),
      theirs: round(median(them)),
      unit,
      note: `${note}; ${spread}`,
    };
  };
  yield figure(
    'ack-vs-noop',
    'perSecond',
    'acknowledged/s',
    `${bytes} bytes, ${CONNECTIONS} connections, SQLite FULL, judged in the same time; theirs: Express 5 and express.json()`,
  );
  yield figure('p99-vs-noop', 'p99Ms', 'ms', 'p99 of the answer');
  yield figure('cpu-vs-noop', 'cpuUs', 'us of CPU a request', 'all threads of the process, judging included');
}
