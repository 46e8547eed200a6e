import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM, USERS } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load, type NextBody } from './load.ts';
import { cpuWithChildren } from './server-cpu.ts';
import { metricOf, startGateway, startServer, type Side } from './side.ts';
import { cpuOf, pair, rateOf, takeTurns, type Round } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const PER_ROUND = 1_000;
/** Asking a gateway how far it is costs it as much as a delivery does. */
const POLL_MS = 25;
const GIVE_UP_MS = 120_000;
const MEMORY_GOAL_MB = 512;

const DELIVERED = 'chartgate_ehr_attempt_seconds_count{outcome="delivered",reason=""}';
const asText = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text();

/** From the first webhook to the last write that the EHR confirmed and, with us, the ledger holds. */
async function deliverRound(
  side: Side,
  nextBody: NextBody,
  count: number,
  isDone: () => Promise<boolean>,
): Promise<Round> {
  const cpu = await side.cpuSeconds();
  const from = performance.now();
  const { statuses } = await load(side.port, side.path, nextBody, CONNECTIONS, { count });
  const good = statuses.get(202) ?? 0;
  if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
  while (!(await isDone())) {
    if (performance.now() - from > GIVE_UP_MS) throw new Error('not everything was delivered');
    await pause(POLL_MS);
  }
  const took = performance.now() - from;
  return { perSecond: (good * 1000) / took, cpuUs: (((await side.cpuSeconds()) - cpu) * 1e6) / good };
}

/** Where the gateway stores. PostgreSQL runs beside it, and its CPU is not counted as the gateway's. */
export type Engine = 'sqlite' | 'postgres';

/** Deliveries end to end against the naive ways; on PostgreSQL against the first of them alone. */
export async function* endToEnd(engine: Engine): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const postgres = engine === 'postgres' ? await makePostgresServer() : null;
  const sides: Side[] = [];
  const begun = async (starting: Promise<Side>): Promise<Side> => {
    const side = await starting;
    sides.push(side);
    return side;
  };
  try {
    const sink = await begun(startServer('bench/null-sink.ts'));
    const base = `http://127.0.0.1:${sink.port}/fhir`;
    const naive = await begun(startServer('bench/naive-server.ts', base));
    const ours = await begun(
      startGateway(join(folder, 'chartgate.db'), {
        CHARTGATE_CLIENT_UUID: 'bench',
        CHARTGATE_EHR_URL: base,
        CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
        CHARTGATE_ADMIN_TOKEN: ADMIN,
        ...(postgres === null ? {} : { CHARTGATE_DATABASE_URL: postgres.url('postgres') }),
      }),
    );
    await linkUsers(ours);
    const nextBody = makeDeliveries();
    let wanted = 0;
    /** A transaction of ours, for the sink alone. */
    let bundle = Buffer.alloc(0);
    const bundles = async (): Promise<number> => Number(await asText(sink.port, '/count'));
    const serverCpu = (): number | null => cpuWithChildren(postgres?.pid() ?? 0);
    const serverBefore = serverCpu();
    const commitsBefore = await metricOf(ours.port, 'chartgate_store_commits_total');
    const runOurs = async (): Promise<Round> => {
      wanted += PER_ROUND;
      const sunk = (await bundles()) + PER_ROUND;
      // The sink is asked first, since asking it costs the gateway nothing.
      const taken = await deliverRound(
        ours,
        nextBody,
        PER_ROUND,
        async () => (await bundles()) >= sunk && (await metricOf(ours.port, DELIVERED)) >= wanted,
      );
      if (bundle.length === 0) bundle = Buffer.from(await asText(sink.port, '/last'));
      return taken;
    };
    /** What the naive ways have answered is done. */
    const runAnswered = (side: Side) => (): Promise<Round> =>
      deliverRound(side, nextBody, PER_ROUND, () => Promise.resolve(true));
    const runSink = async (): Promise<Round> => {
      const cpu = await sink.cpuSeconds();
      const { perSecond } = await load(sink.port, '/fhir', () => bundle, CONNECTIONS, { count: PER_ROUND });
      return { perSecond, cpuUs: (((await sink.cpuSeconds()) - cpu) * 1e6) / PER_ROUND };
    };
    const both = { ours: runOurs, naive: runAnswered(naive) };
    const commits = async (): Promise<string> =>
      `${round(((await metricOf(ours.port, 'chartgate_store_commits_total')) - commitsBefore) / wanted)} commits a delivery`;
    if (engine === 'postgres') {
      const taken = await takeTurns(both, ROUNDS);
      const server = ((serverCpu() ?? NaN) - (serverBefore ?? NaN)) * 1e6;
      const beside = `PostgreSQL beside it, which takes ${round(server / wanted)} us of CPU a delivery`;
      yield* againstNaive('postgres-', taken, `${beside}, ${await commits()}`);
      yield* memoryOf('postgres-', ours);
      return;
    }
    const durable = await begun(startServer('bench/naive-server.ts', base, join(folder, 'naive.db')));
    const taken = await takeTurns({ ...both, durable: runAnswered(durable), sink: runSink }, ROUNDS);
    yield* againstNaive('', taken, `SQLite FULL, ${await commits()}`);
    yield rates('end-to-end-vs-naive-durable', taken.ours, taken.durable, RATE, DURABLE);
    yield cpu('cpu-vs-naive-durable', taken.ours, taken.durable);
    yield rates(
      'sink-share',
      taken.ours,
      taken.sink,
      'transactions/s',
      'theirs: what the null sink takes of the same transactions straight from the load generator',
    );
    yield* memoryOf('', ours);
  } finally {
    for (const { end } of sides) await end();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const RATE = 'delivered/s';
const NAIVE = 'theirs: Express 5, validateResource, fhir-kit-client, nothing stored';
const DURABLE = 'theirs: the same with our validator and one durable insert for each document before it is sent';

type Rounds = readonly Round[];

function rates(figure: string, ours: Rounds, theirs: Rounds, unit: string, note: string): Figure {
  const { ratio, spread } = pair(rateOf(ours), rateOf(theirs));
  const [us, them] = [median(rateOf(ours)), median(rateOf(theirs))];
  return { bench: 'deliver', figure, ratio, ours: round(us), theirs: round(them), unit, note: `${note}; ${spread}` };
}

function cpu(figure: string, ours: Rounds, theirs: Rounds): Figure {
  const { ratio, spread } = pair(cpuOf(theirs), cpuOf(ours));
  const [us, them] = [median(cpuOf(ours)), median(cpuOf(theirs))];
  const unit = 'us of CPU a delivery';
  const note = `all threads of the process; ${spread}`;
  return { bench: 'deliver', figure, ratio, ours: round(us), theirs: round(them), unit, note };
}

function* againstNaive(
  prefix: string,
  { ours, naive }: Readonly<Record<'ours' | 'naive', Rounds>>,
  setting: string,
): Generator<Figure> {
  const load = `16 entries, ${USERS} patients, ${CONNECTIONS} connections, ${PER_ROUND} a round`;
  yield rates(`${prefix}end-to-end-vs-naive`, ours, naive, RATE, `${load}, ${setting}; ${NAIVE}`);
  yield cpu(`${prefix}cpu-vs-naive`, ours, naive);
}

/** Where the system tells how much memory a process took at most. */
function* memoryOf(prefix: string, { peakMb }: Side): Generator<Figure> {
  const peak = peakMb();
  if (peak === null) return;
  yield {
    bench: 'deliver',
    figure: `${prefix}memory-mb`,
    ratio: round(MEMORY_GOAL_MB / peak),
    ours: round(peak),
    theirs: MEMORY_GOAL_MB,
    unit: 'MB',
    note: 'resident memory of the gateway at its peak, from its start to the last of these rounds; theirs: the limit',
  };
}
