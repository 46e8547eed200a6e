import { authenticateByToken } from '../src/admin/index.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditSet, signCheckpoints, makeSigningKey, storeSource, verifyAudit } from '../src/audit/index.ts';
import { listen, makeApp, makeServer } from '../src/http/index.ts';
import { inboxSet, type InboxWrites } from '../src/inbox/index.ts';
import { makeIngest } from '../src/ingest/index.ts';
import type { Put } from '../src/ingest/routes.ts';
import { makeBudget, fileBeside, makeNewId, secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type CommandSet, type Operations, type Store } from '../src/store/index.ts';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { median, round, type Figure } from './figure.ts';
import { runReads } from './audit-reads.ts';
import { TEMPLATE_MARK, load, makeBodies, type Loaded } from './load.ts';

const CONNECTIONS = 16;
const ROUNDS = 12;
const ROUND_MS = 1_000;
const WARM_MS = 1_500;

type Unaudited = { 'bench.put-unaudited': InboxWrites['inbox.put'] };
const unauditedSet: CommandSet<Unaudited, Operations> = {
  sqlite: fileBeside(import.meta.url, './unaudited/sqlite'),
  adding: ['bench.put-unaudited'],
  journaled: {
    'bench.put-unaudited': {
      answer: (seq) => ({ seq, state: 'accepted' }),
      check: () => undefined,
      whenPutAside: 'go-on',
    },
  },
  postgres: () => Promise.resolve({ writes: {}, reads: {} } as never),
};
const key = (n: number) => secret(Buffer.alloc(32, n).toString('base64'));
const newId = makeNewId({ now: () => systemClock.now().getTime(), chance: randomBytes });

async function startSide(folder: string, name: string, putOf: (store: Store) => Put) {
  const store = await openStore({
    database: { engine: 'sqlite', file: join(folder, name, 'chartgate.db'), filesystem: 'any', folder: 'make' },
    keys: { data: [key(1)], pseudonym: key(2) },
    instance: newId('ins'),
    sets: [auditSet, inboxSet, unauditedSet],
    clock: systemClock,
    log: silentLog,
  });
  const ingest = makeIngest({
    tenant: 'default',
    instance: 'ins_bench',
    inbox: putOf(store),
    data: [{ name: 'none', proves: 'secret', stage: 'head', check: () => true }],
    notifications: [],
    learn: null,
    bodyBytesMax: 5_000_000,
    budget: makeBudget(Infinity),
    rejects: { record: () => undefined, flush: () => undefined },
    onRefused: () => undefined,
    newId,
    clock: systemClock,
    onStored: () => undefined,
  });
  const app = makeApp({
    routes: ingest.routes,
    trustProxy: [],
    authenticate: authenticateByToken(null),
    newId,
    clock: systemClock,
    log: silentLog,
    observe: () => undefined,
    isDraining: () => false,
  });
  const server = makeServer(app, null);
  await listen(server, '127.0.0.1', 0);
  const { port } = server.address() as AddressInfo;
  const inbox = store.use(inboxSet);
  return {
    port,
    store,
    /** Whoever asks for the ledger sees whatever was acknowledged before. */
    async untilCarriedOut(): Promise<void> {
      for (let before = -1; ;) {
        const ledger = await inbox.read('inbox.ledger', { tenant: 'default' });
        const now = ledger.ok ? ledger.value.acknowledged : NaN;
        if (now === before) return;
        before = now;
      }
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await store.close();
    },
  };
}

/**
 * Webhooks with their audit record, checkpoints included, and reads with theirs, against the same without, in turns in
 * one process.
 */
export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const nextBody = makeBodies(
    JSON.stringify(aClinicalReady({ bundleId: `bundle-${TEMPLATE_MARK}`, clientUuid: 'bench' })),
  );
  const signing = makeSigningKey(key(3));
  const ours = await startSide(folder, 'with', (store) => store.use(inboxSet));
  const theirs = await startSide(folder, 'without', (store) => {
    const unaudited = store.use(unauditedSet);
    return { write: (_name, args) => unaudited.write('bench.put-unaudited', args) };
  });
  const audit = ours.store.use(auditSet);
  const checkpoints = signCheckpoints({
    audit,
    key: signing,
    anchor: null,
    clock: systemClock,
    log: silentLog,
    commands: () => ours.store.figures().commands,
  });
  const results = { ours: [] as Loaded[], theirs: [] as Loaded[] };
  let verifyPerSecond = 0;
  let records = 0;
  try {
    for (const side of [ours, theirs])
      await load(side.port, '/webhooks/x/data', nextBody, CONNECTIONS, { ms: WARM_MS });
    for (let i = 0; i < ROUNDS; i += 1)
      for (const [name, side] of [
        ['ours', ours],
        ['theirs', theirs],
      ] as const) {
        const since = performance.now();
        const loaded = await load(side.port, '/webhooks/x/data', nextBody, CONNECTIONS, { ms: ROUND_MS });
        if ([...loaded.statuses.keys()].some((status) => status !== 202))
          throw new Error(`${name}: not every answer was 202`);
        // What was acknowledged is carried out later, with its record.
        await side.untilCarriedOut();
        const perSecond = ((loaded.statuses.get(202) ?? NaN) * 1_000) / (performance.now() - since);
        results[name].push({ ...loaded, perSecond });
      }
    await checkpoints.stop();
    const from = performance.now();
    const verified = await verifyAudit(storeSource(audit), signing);
    verifyPerSecond = (verified.records * 1000) / (performance.now() - from);
    ({ records } = verified);
    if (!verified.sound || verified.proven !== records) throw new Error('the audit of this bench is not sound');
  } finally {
    await ours.stop();
    await theirs.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (side: 'ours' | 'theirs', what: 'perSecond' | 'p99Ms'): number =>
    median(results[side].map((one) => one[what]));
  yield {
    bench: 'audit',
    figure: 'webhook-with-vs-without',
    ratio: round(of('ours', 'perSecond') / of('theirs', 'perSecond')),
    ours: round(of('ours', 'perSecond')),
    theirs: round(of('theirs', 'perSecond')),
    unit: 'acknowledged/s',
    note: `${CONNECTIONS} connections, SQLite FULL; ours with record, chain, indexes and checkpoints`,
  };
  yield {
    bench: 'audit',
    figure: 'webhook-p99-with-vs-without',
    ratio: round(of('theirs', 'p99Ms') / of('ours', 'p99Ms')),
    ours: round(of('ours', 'p99Ms')),
    theirs: round(of('theirs', 'p99Ms')),
    unit: 'ms',
    note: 'p99 of the answer',
  };
  yield {
    bench: 'audit',
    figure: 'verify',
    ratio: round(verifyPerSecond / of('ours', 'perSecond')),
    ours: round(verifyPerSecond),
    theirs: round(of('ours', 'perSecond')),
    unit: 'records/s',
    note: `${records} records verified, against how fast they were written`,
  };
  yield* runReads();
}
