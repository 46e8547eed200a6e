import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { acknowledge, type Acknowledged } from './acknowledge.ts';
import { median, round, type Figure } from './figure.ts';
import { TEMPLATE_MARK, makeBodies } from './load.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { pair, takeTurns } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const ROUND_MS = 2_000;

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
  const roundOf = (side: Side) => (): Promise<Acknowledged> =>
    acknowledge(side, nextBody, { connections: CONNECTIONS, ms: ROUND_MS });
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
