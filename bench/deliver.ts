import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { auditSet } from '../src/audit/index.ts';
import { deliverSet, laneSet } from '../src/lanes/index.ts';
import { identitySet } from '../src/identity/index.ts';
import { inboxSet } from '../src/inbox/index.ts';
import { secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type Store } from '../src/store/index.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM, USERS } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load, type NextBody } from './load.ts';
import { prefill } from './prefill.ts';
import { realEhr } from './real-ehr.ts';
import { metricOf, startGateway, startServer, type Side } from './side.ts';
import { cpuOf, pair, rateOf, takeTurns, type Round } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const PER_ROUND = 1_000;
/** Asking a gateway how far it is costs it as much as a delivery does. */
const POLL_MS = 25;
/** A million takes minutes to fill in: `--rows=1000000`. */
const ROWS = 200_000;
const BLOCKED_LANES = 50_000;
const INGEST_ROUNDS = 5;
const INGEST_MS = 3_000;
const INGEST_WARM_MS = 2_000;
const CLAIMS = 400;
const CLAIMS_WARM = 40;
const CLAIM_LIMIT = 16;
const CLAIM_GOAL_MS = 10;
const GIVE_UP_MS = 120_000;

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

async function* endToEnd(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
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
    const durable = await begun(startServer('bench/naive-server.ts', base, join(folder, 'naive.db')));
    const ours = await begun(
      startGateway(join(folder, 'chartgate.db'), {
        CHARTGATE_CLIENT_UUID: 'bench',
        CHARTGATE_EHR_URL: base,
        CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
        CHARTGATE_ADMIN_TOKEN: ADMIN,
      }),
    );
    await linkUsers(ours);
    const nextBody = makeDeliveries();
    let wanted = 0;
    /** A transaction of ours, for the sink alone. */
    let bundle = Buffer.alloc(0);
    const bundles = async (): Promise<number> => Number(await asText(sink.port, '/count'));
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
    const taken = await takeTurns(
      { ours: runOurs, naive: runAnswered(naive), durable: runAnswered(durable), sink: runSink },
      ROUNDS,
    );
    const commits = ((await metricOf(ours.port, 'chartgate_store_commits_total')) - commitsBefore) / wanted;
    yield* figuresOf(taken, commits);
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const RATE = 'delivered/s';
const NAIVE = 'theirs: Express 5, validateResource, fhir-kit-client, nothing stored';
const DURABLE = 'theirs: the same with our validator and one durable insert for each document before it is sent';

function* figuresOf(
  { ours, naive, durable, sink }: Readonly<Record<'ours' | 'naive' | 'durable' | 'sink', readonly Round[]>>,
  commits: number,
): Generator<Figure> {
  const rates = (figure: string, theirs: readonly Round[], unit: string, note: string): Figure => {
    const { ratio, spread } = pair(rateOf(ours), rateOf(theirs));
    const [us, them] = [median(rateOf(ours)), median(rateOf(theirs))];
    return { bench: 'deliver', figure, ratio, ours: round(us), theirs: round(them), unit, note: `${note}; ${spread}` };
  };
  const cpu = (figure: string, theirs: readonly Round[]): Figure => {
    const { ratio, spread } = pair(cpuOf(theirs), cpuOf(ours));
    const [us, them] = [median(cpuOf(ours)), median(cpuOf(theirs))];
    const note = `all threads of the process; ${spread}`;
    return {
      bench: 'deliver',
      figure,
      ratio,
      ours: round(us),
      theirs: round(them),
      unit: 'us of CPU a delivery',
      note,
    };
  };
  const setting = `16 entries, ${USERS} patients, ${CONNECTIONS} connections, ${PER_ROUND} a round, SQLite FULL, ${round(commits)} commits a delivery`;
  yield rates('end-to-end-vs-naive', naive, RATE, `${setting}; ${NAIVE}`);
  yield rates('end-to-end-vs-naive-durable', durable, RATE, `${setting}; ${DURABLE}`);
  yield rates(
    'sink-share',
    sink,
    'transactions/s',
    'theirs: what the null sink takes of the same transactions straight from the load generator',
  );
  yield cpu('cpu-vs-naive', naive);
  yield cpu('cpu-vs-naive-durable', durable);
}

/** Keys that a gateway and the bench share. */
const makeKeys = () => ({ data: randomBytes(32).toString('base64'), pseudonym: randomBytes(32).toString('base64') });
type Keys = ReturnType<typeof makeKeys>;

const openOurs = (file: string, keys: Keys): Promise<Store> =>
  openStore({
    database: { engine: 'sqlite', file, filesystem: 'any' },
    keys: { data: [secret(keys.data)], pseudonym: secret(keys.pseudonym) },
    instance: `ins_bench${randomBytes(4).toString('hex')}`,
    environment: 'production',
    sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet],
    clock: systemClock,
    log: silentLog,
  });

/**
 * How long `lane.claim` takes beside many lanes that are not due, each with some that are; what was claimed is put back
 * behind them.
 */
async function timeClaims(file: string, keys: Keys): Promise<number[]> {
  const db = new DatabaseSync(file);
  db.exec(
    `UPDATE lane SET next_at = 0 WHERE patient_index IN (SELECT patient_index FROM lane WHERE pending > 0 ORDER BY patient_index LIMIT ${(CLAIMS_WARM + CLAIMS) * CLAIM_LIMIT})`,
  );
  db.close();
  const store = await openOurs(file, keys);
  const lanes = store.use(laneSet);
  const tenant = 'default';
  const times: number[] = [];
  try {
    for (let i = 0; i < CLAIMS_WARM + CLAIMS; i += 1) {
      const from = performance.now();
      const claimed = await lanes.write('lane.claim', {
        tenant,
        owner: 'bench',
        at: new Date(),
        leaseMs: 15_000,
        limit: CLAIM_LIMIT,
      });
      times.push(performance.now() - from);
      if (!claimed.ok || claimed.value.claimed.length === 0) throw new Error('nothing could be claimed');
      await Promise.all(
        claimed.value.claimed.map(({ patient, epoch, job }) =>
          lanes.write('lane.finish', {
            fence: { tenant, owner: 'bench', patient, epoch },
            jobSeq: job.seq,
            attemptId: null,
            at: new Date(),
            outcome: { kind: 'put-back', afterMs: 3_600_000 },
            httpStatus: null,
            written: [],
            retracted: [],
            isResolved: false,
          }),
        ),
      );
    }
  } finally {
    await store.close();
  }
  return times.slice(CLAIMS_WARM).sort((a, b) => a - b);
}

async function* manyStored(rows: number): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const blocked = Math.min(BLOCKED_LANES, rows);
  const sides: Side[] = [];
  const results = { full: [] as number[], empty: [] as number[] };
  let claims: number[] = [];
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const start = async (name: string, keys: Keys): Promise<Side> => {
      const side = await startGateway(join(folder, name), {
        CHARTGATE_CLIENT_UUID: 'bench',
        CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
        CHARTGATE_DATA_KEY: keys.data,
        CHARTGATE_PSEUDONYM_KEY: keys.pseudonym,
      });
      sides.push(side);
      return side;
    };
    const keys = makeKeys();
    const file = join(folder, 'full.db');
    await (await openOurs(file, keys)).close();
    prefill(file, { deliveries: rows, blockedLanes: blocked }, Date.now());
    claims = await timeClaims(file, keys);
    const full = await start('full.db', keys);
    const empty = await start('empty.db', makeKeys());
    const nextBody = makeDeliveries();
    const ack = async ({ port, path }: Side, ms: number): Promise<number> => {
      const { perSecond, statuses } = await load(port, path, nextBody, CONNECTIONS, { ms });
      if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
      return perSecond;
    };
    for (const side of [full, empty]) await ack(side, INGEST_WARM_MS);
    for (let i = 0; i < INGEST_ROUNDS; i += 1) {
      results.full.push(await ack(full, INGEST_MS));
      results.empty.push(await ack(empty, INGEST_MS));
    }
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const [full, empty] = [median(results.full), median(results.empty)];
  yield {
    bench: 'deliver',
    figure: 'ingest-with-million-vs-empty',
    ratio: round(full / empty),
    ours: round(full),
    theirs: round(empty),
    unit: 'acknowledged/s',
    note: `${rows} deliveries stored (small bodies) and ${blocked} blocked lanes; --rows=1000000 for the million; theirs: the same gateway on an empty store`,
  };
  const p99 = claims[Math.floor(claims.length * 0.99)] ?? NaN;
  yield {
    bench: 'deliver',
    figure: 'claim-p99-ms',
    ratio: round(CLAIM_GOAL_MS / p99),
    ours: round(p99),
    theirs: CLAIM_GOAL_MS,
    unit: 'ms',
    note: `lane.claim of ${CLAIM_LIMIT} with its commit, ${CLAIMS} times, beside ${blocked} blocked lanes; median ${round(median(claims))} ms; theirs: the limit`,
  };
}

export async function* run({
  rows = ROWS,
  ehr = null,
}: { readonly rows?: number; readonly ehr?: string | null } = {}): AsyncGenerator<Figure> {
  yield* endToEnd();
  yield* manyStored(rows);
  if (ehr !== null) yield* realEhr(ehr);
  else
    console.error(
      'deliver: real-ehr-share and real-ehr-vs-plain are left out, since no EHR is given (--ehr=URL, EHR_BENCH_URL)',
    );
}
