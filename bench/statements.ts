import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { auditSet } from '../src/audit/index.ts';
import { identitySet } from '../src/identity/index.ts';
import { inboxSet } from '../src/inbox/index.ts';
import { deliverSet, laneSet, type Fingerprint, type LaneWrites } from '../src/lanes/index.ts';
import { MIGRATIONS } from '../src/store/migrations/index.ts';
import { clientConfig } from '../src/store/postgres/connect.ts';
import { gatherCommands } from '../src/store/postgres/gather-commands.ts';
import * as postgresSchema from '../src/store/postgres/migrate.ts';
import { makeRunBatch as makePostgresBatch } from '../src/store/postgres/run-batch.ts';
import { loadCommands } from '../src/store/sqlite/load-commands.ts';
import * as sqliteSchema from '../src/store/sqlite/migrate.ts';
import { openWriter } from '../src/store/sqlite/open-database.ts';
import { makeRunBatch as makeSqliteBatch } from '../src/store/sqlite/run-batch.ts';
import { makeVault } from '../src/store/vault.ts';
import type { Ask } from '../src/store/write-queue.ts';
import { withClient } from '../test/support/new-store.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { makeDeliveries } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';

const SETS = [auditSet, inboxSet, identitySet, deliverSet, laneSet];
const KEYS = { data: [new Uint8Array(32).fill(1)], pseudonym: new Uint8Array(32).fill(2) };
const USERS = 64;
const ROWS = 15;
/** So many of each command share a commit. */
const TOGETHER = 8;
const WARM = 800;
const ROUNDS = 9;
const PER_ROUND = 400;
const AIM = 25;
const SHOWN = 70;

const tenant = 'default';
const owner = 'bench';
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const bytesOf = (text: string): Uint8Array => createHash('sha256').update(text).digest();

type Claimed = LaneWrites['lane.claim']['out']['claimed'][number];
type Begun = Pick<Claimed, 'patient' | 'epoch' | 'job'> & { readonly attemptId: string };

/** An engine as this bench drives it. */
interface Driven {
  run(asks: readonly Ask[]): Promise<readonly unknown[]>;
  /** The places of deliveries, asked past what is counted. */
  seqsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What was sent since the last time it was asked: how often each text, in how much time, in how many round trips. */
  take(): { readonly texts: ReadonlyMap<string, Spent>; readonly trips: number };
  end(): Promise<void>;
}
interface Spent {
  readonly count: number;
  readonly ms: number;
}

function makeCount() {
  let texts = new Map<string, Spent>();
  let trips = 0;
  return {
    add(sql: string, ms: number): void {
      const text = sql
        .replace(/\s+/g, ' ')
        .replace(/command_\d+/, 'command')
        .trim();
      const { count, ms: before } = texts.get(text) ?? { count: 0, ms: 0 };
      texts.set(text, { count: count + 1, ms: before + ms });
    },
    trip: (): void => void (trips += 1),
    take() {
      const taken = { texts, trips };
      [texts, trips] = [new Map(), 0];
      return taken;
    },
  };
}

async function driveSqlite(): Promise<Driven> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const real = openWriter(join(folder, 'chartgate.db'));
  sqliteSchema.migrate(real, MIGRATIONS, Date.now());
  sqliteSchema.settleIdentity(real, makeVault(KEYS), 'bench', 'production', Date.now());
  const vault = sqliteSchema.settleKeptKeys(real, makeVault(KEYS), KEYS, Date.now());
  const count = makeCount();
  const timed = <T>(sql: string, work: () => T): T => {
    const from = performance.now();
    const done = work();
    count.add(sql, performance.now() - from);
    return done;
  };
  const db = new Proxy(real, {
    get(of, name) {
      if (name === 'prepare')
        return (sql: string) => {
          const statement = of.prepare(sql);
          const ask =
            (want: 'get' | 'all' | 'run') =>
            (...values: never[]) =>
              timed(sql, () => (statement[want] as (...all: never[]) => unknown).apply(statement, values));
          return { get: ask('get'), all: ask('all'), run: ask('run') } as unknown as StatementSync;
        };
      if (name === 'exec') return (sql: string) => timed(sql, () => of.exec(sql));
      const found: unknown = Reflect.get(of, name, of);
      return typeof found === 'function' ? (found as () => unknown).bind(of) : found;
    },
  }) as DatabaseSync;
  const commands = await loadCommands(
    SETS.map((set) => set.sqlite.href),
    'writes',
  );
  const runBatch = makeSqliteBatch(db, { vault, writer: 'ins_bench.0' }, commands, (thrown) => {
    throw thrown;
  });
  return {
    run: (asks) =>
      Promise.resolve(
        runBatch(asks).map((one) => {
          if (!one.done) throw new Error(one.error.message);
          return one.out;
        }),
      ),
    seqsOf: (ids) =>
      Promise.resolve(
        new Map(
          ids.map(
            (id) => [id, Number(real.prepare('SELECT seq FROM delivery WHERE id = ?').get(id)?.['seq'])] as const,
          ),
        ),
      ),
    take: count.take,
    end() {
      real.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

async function drivePostgres(): Promise<Driven> {
  const server = await makePostgresServer();
  await withClient(server.url('postgres'), (client) => client.query('CREATE DATABASE bench'));
  const url = server.url('bench');
  const plain = new pg.Client(url);
  await plain.connect();
  await postgresSchema.migrate(plain, MIGRATIONS, Date.now());
  await postgresSchema.settleIdentity(plain, makeVault(KEYS), 'bench', 'production', Date.now());
  const vault = await postgresSchema.settleKeptKeys(plain, makeVault(KEYS), KEYS, Date.now());
  const real = new pg.Client({ ...clientConfig(url, 'ins_bench.0'), pipeline: true });
  await real.connect();
  const count = makeCount();
  let unanswered = 0;
  const client = new Proxy(real, {
    get(of, name) {
      if (name !== 'query') {
        const found: unknown = Reflect.get(of, name, of);
        return typeof found === 'function' ? (found as () => unknown).bind(of) : found;
      }
      return (asked: string | { text: string }) => {
        if (unanswered === 0) count.trip();
        unanswered += 1;
        const from = performance.now();
        const answer = of.query(asked as string);
        const settled = (): void => {
          unanswered -= 1;
          count.add(typeof asked === 'string' ? asked : asked.text, performance.now() - from);
        };
        answer.then(settled, settled);
        return answer;
      };
    },
  });
  const commands = gatherCommands(await Promise.all(SETS.map((set) => set.postgres())), 'writes');
  const runBatch = makePostgresBatch(client, vault, 'ins_bench.0', commands);
  return {
    run: async (asks) =>
      (await runBatch(asks)).outcomes.map((one) => {
        if (!one.done) throw 'bug' in one ? one.bug : new Error(one.fault.code);
        return one.out;
      }),
    async seqsOf(ids) {
      const { rows } = await plain.query<{ id: string; seq: string }>(
        'SELECT id, seq FROM delivery WHERE id = ANY($1)',
        [ids],
      );
      return new Map(rows.map(({ id, seq }) => [id, Number(seq)]));
    },
    take: count.take,
    async end() {
      await Promise.all([real.end(), plain.end()]);
      await server.remove();
    },
  };
}

const userOf = (n: number): string => `user-${n % USERS}`;

function linkAsk(n: number): Ask {
  const wanted = { id: `lnk_${n}`, client: 'bench', user: userOf(n), mrnSystem: 'urn:mrn', mrn: userOf(n) };
  const act = { tenant, at: new Date(), requestId: 'req_bench', actor: 'bench', limit: 100 };
  return { name: 'deliver.link', args: { ...act, wanted: { ...wanted, status: 'confirmed', evidence: null } } };
}

const namesOf = (n: number): string[] => Array.from({ length: ROWS }, (_, i) => digestOf(`name ${n} ${i}`));
const putAsk = (n: number, body: Uint8Array): Ask => ({
  name: 'inbox.put',
  args: {
    id: `dlv_${n}`,
    tenant,
    hook: 'data',
    at: new Date(),
    requestId: `req_${n}`,
    receiver: 'ins_bench',
    sender: 'secret',
    body,
  },
});
const attemptOf = (n: number) => ({
  requestDigest: digestOf(`request ${n}`),
  intents: Buffer.alloc(900, n),
  chart: `Patient/${userOf(n)}`,
});
const settleAsk = (n: number, seq: number): Ask => ({
  name: 'deliver.settle',
  args: {
    tenant,
    seq,
    at: new Date(),
    requestId: `req_${n}`,
    facts: {
      dataStructure: 'clinical_ready',
      client: 'bench',
      user: userOf(n),
      documentVersion: 1,
      contentDigest: bytesOf(`content ${n}`),
      findings: [],
      unmapped: [],
    },
    verdict: {
      kind: 'sound',
      trouble: null,
      document: { key: `document ${n}`, version: 1, clinicalDigest: bytesOf(`clinical ${n}`), order: 'version' },
    },
    claim: {
      owner,
      leaseMs: 60_000,
      patient: { mrnSystem: 'urn:mrn', mrn: userOf(n) },
      names: JSON.stringify(namesOf(n)),
      alertsOf: null,
      attempt: { id: `att_${n}`, ...attemptOf(n) },
    },
  },
});
const fenceOf = ({ patient, epoch }: Pick<Claimed, 'patient' | 'epoch'>) => ({ tenant, owner, patient, epoch });
const beginAsk = (n: number, one: Claimed): Ask => ({
  name: 'lane.begin',
  args: {
    fence: fenceOf(one),
    jobSeq: one.job.seq,
    attemptId: `att_${n}`,
    ...attemptOf(n),
    mode: 'write',
    leaseMs: 60_000,
    at: new Date(),
  },
});
const finishAsk = (n: number, { attemptId, job, ...one }: Begun): Ask => ({
  name: 'lane.finish',
  args: {
    fence: fenceOf(one),
    jobSeq: job.seq,
    attemptId,
    at: new Date(),
    outcome: { kind: 'delivered' },
    httpStatus: 200,
    written: namesOf(n).map((name, i) => ({
      name,
      resourceType: 'Observation',
      id: name,
      versionId: '1',
      fingerprint: digestOf(`print ${n} ${i}`).padEnd(88, '0') as Fingerprint,
      contentDigest: digestOf(`content ${n} ${i}`),
      said: { status: 'final', meaning: digestOf(`meaning ${n} ${i}`) },
      group: 'body',
      chartDay: '2026-11-14',
      saidAt: n,
      effect: 'created',
    })),
    retracted: [],
    isResolved: true,
  },
});

interface FastClaimed {
  readonly claimed: Claimed;
  readonly attemptId: string | null;
}
const begunBy = (out: unknown): Begun => {
  const { fastClaim } = out as { readonly fastClaim?: FastClaimed };
  if (fastClaim === undefined || fastClaim.attemptId === null) throw new Error('it was not begun at once');
  return { ...fastClaim.claimed, attemptId: fastClaim.attemptId };
};

type Group = readonly number[];

/** As on SQLite: some are put, some settled and begun, some finished, all in one commit. */
function makeShared(driven: Driven, nextBody: () => Uint8Array) {
  let put: Group = [];
  let begun: readonly (readonly [number, Begun])[] = [];
  return async (group: Group): Promise<void> => {
    const seqs = await driven.seqsOf(put.map((n) => `dlv_${n}`));
    const settling = put;
    const outs = await driven.run([
      ...group.map((n) => putAsk(n, nextBody())),
      ...begun.map(([n, one]) => finishAsk(n, one)),
      ...settling.map((n) => settleAsk(n, seqs.get(`dlv_${n}`) ?? 0)),
    ]);
    const from = group.length + begun.length;
    begun = settling.map((n, i) => [n, begunBy(outs[from + i])] as const);
    put = group;
  };
}

/** As on PostgreSQL: nothing is claimed at once, and what gives way has commits of its own. */
function makeApart(driven: Driven, nextBody: () => Uint8Array) {
  return async (group: Group): Promise<void> => {
    await driven.run(group.map((n) => putAsk(n, nextBody())));
    const seqs = await driven.seqsOf(group.map((n) => `dlv_${n}`));
    await driven.run(group.map((n) => settleAsk(n, seqs.get(`dlv_${n}`) ?? 0)));
    const claim = { tenant, owner, at: new Date(), leaseMs: 60_000, limit: TOGETHER };
    const [out] = await driven.run([{ name: 'lane.claim', args: claim }]);
    const { claimed } = out as LaneWrites['lane.claim']['out'];
    if (claimed.length !== group.length) throw new Error(`${claimed.length} were claimed`);
    const numberOf = (one: Claimed): number => Number(one.delivery.id.slice('dlv_'.length));
    await driven.run(claimed.map((one) => beginAsk(numberOf(one), one)));
    await driven.run(claimed.map((one) => finishAsk(numberOf(one), { ...one, attemptId: `att_${numberOf(one)}` })));
  };
}

function tell(engine: string, texts: ReadonlyMap<string, Spent>, deliveries: number): void {
  const all = [...texts].sort(([, a], [, b]) => b.ms - a.ms);
  const total = all.reduce((sum, [, { ms }]) => sum + ms, 0);
  console.error(`${engine}: each statement, how often a delivery, and its share of their time`);
  for (const [text, { count, ms }] of all)
    console.error(
      `${(count / deliveries).toFixed(2).padStart(7)} ${((ms / total) * 100).toFixed(1).padStart(5)} %  ${text.slice(0, SHOWN)}`,
    );
}

async function* measure(engine: 'sqlite' | 'postgres'): AsyncGenerator<Figure> {
  const driven = await (engine === 'sqlite' ? driveSqlite() : drivePostgres());
  try {
    for (let n = 0; n < USERS; n += 1) await driven.run([linkAsk(n)]);
    const deliver = (engine === 'sqlite' ? makeShared : makeApart)(driven, makeDeliveries());
    let n = 0;
    const some = async (count: number): Promise<void> => {
      for (const end = n + count; n < end;) await deliver(Array.from({ length: TOGETHER }, () => n++));
    };
    await some(WARM);
    driven.take();
    const cpus: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const from = process.cpuUsage();
      await some(PER_ROUND);
      const { user, system } = process.cpuUsage(from);
      cpus.push((user + system) / PER_ROUND);
    }
    const deliveries = ROUNDS * PER_ROUND;
    const { texts, trips } = driven.take();
    tell(engine, texts, deliveries);
    const count = [...texts.values()].reduce((sum, one) => sum + one.count, 0) / deliveries;
    const note = `put, settled, begun and finished with ${ROWS} rows of the ledger, ${TOGETHER} of each command a commit; ${round(trips / deliveries)} round trips; ${round(median(cpus))} us of CPU`;
    yield {
      bench: 'statements',
      figure: `${engine}-statements`,
      ratio: round(AIM / count),
      ours: round(count),
      theirs: AIM,
      unit: 'statements a delivery',
      note: `${note}; theirs: the aim`,
    };
  } finally {
    await driven.end();
  }
}

/** How many statements a delivery takes from its acknowledgement to its end, and which; the commands alone. */
export async function* run(): AsyncGenerator<Figure> {
  yield* measure('sqlite');
  yield* measure('postgres');
}
