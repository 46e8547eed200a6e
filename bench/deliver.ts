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

const CONNECTIONS = 16;
const ROUNDS = 3;
/** Enough for the compiler to have seen everything. */
const WARM = 1_500;
const PER_ROUND = 2_000;
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

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
}

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
    await pause(5);
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
  const results = { ours: [] as Round[], theirs: [] as Round[], sink: [] as number[] };
  let commits = 0;
  try {
    const sink = await begun(startServer('bench/null-sink.ts'));
    const base = `http://127.0.0.1:${sink.port}/fhir`;
    const theirs = await begun(startServer('bench/naive-server.ts', base));
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
    let sunk = 0;
    const bundles = async (): Promise<number> => Number(await asText(sink.port, '/count'));
    const runOurs = async (count: number): Promise<Round> => {
      wanted += count;
      sunk = (await bundles()) + count;
      // The sink is asked first, since asking it costs the gateway nothing.
      return deliverRound(
        ours,
        nextBody,
        count,
        async () => (await bundles()) >= sunk && (await metricOf(ours.port, DELIVERED)) >= wanted,
      );
    };
    const runTheirs = (count: number): Promise<Round> =>
      deliverRound(theirs, nextBody, count, () => Promise.resolve(true));

    await runTheirs(WARM);
    await runOurs(WARM);
    const bundle = Buffer.from(await asText(sink.port, '/last'));
    const runSink = async (count: number): Promise<number> =>
      (await load(sink.port, '/fhir', () => bundle, CONNECTIONS, { count })).perSecond;
    await runSink(WARM);
    const commitsBefore = await metricOf(ours.port, 'chartgate_store_commits_total');
    for (let i = 0; i < ROUNDS; i += 1) {
      results.ours.push(await runOurs(PER_ROUND));
      results.theirs.push(await runTheirs(PER_ROUND));
      results.sink.push(await runSink(PER_ROUND));
    }
    commits = ((await metricOf(ours.port, 'chartgate_store_commits_total')) - commitsBefore) / (ROUNDS * PER_ROUND);
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const ours = median(results.ours.map(({ perSecond }) => perSecond));
  const theirs = median(results.theirs.map(({ perSecond }) => perSecond));
  const sink = median(results.sink);
  const [oursUs, theirsUs] = [
    median(results.ours.map(({ cpuUs }) => cpuUs)),
    median(results.theirs.map(({ cpuUs }) => cpuUs)),
  ];
  yield {
    bench: 'deliver',
    figure: 'end-to-end-vs-naive',
    ratio: round(ours / theirs),
    ours: round(ours),
    theirs: round(theirs),
    unit: 'delivered/s',
    note: `16 entries, ${USERS} patients, ${CONNECTIONS} connections, ${PER_ROUND} a round, SQLite FULL, ${round(commits)} commits a delivery; theirs: Express 5, validateResource, fhir-kit-client, nothing stored`,
  };
  yield {
    bench: 'deliver',
    figure: 'sink-share',
    ratio: round(ours / sink),
    ours: round(ours),
    theirs: round(sink),
    unit: 'transactions/s',
    note: 'theirs: what the null sink takes of the same transactions straight from the load generator',
  };
  yield {
    bench: 'deliver',
    figure: 'cpu-vs-naive',
    ratio: round(theirsUs / oursUs),
    ours: round(oursUs),
    theirs: round(theirsUs),
    unit: 'us of CPU a delivery',
    note: 'all threads of the process',
  };
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
