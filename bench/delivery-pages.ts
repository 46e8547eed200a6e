import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { auditSet } from '../src/audit/index.ts';
import { inboxSet, type DeliveryFilter, type ListPlace } from '../src/inbox/index.ts';
import { secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type Database, type Store } from '../src/store/index.ts';
import { fillDeliveries } from '../test/support/fill-deliveries.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { round, type Figure } from './figure.ts';

const ROWS = 1_000_000;
/** What a page may take. */
const GOAL_MS = 50;
const ROUNDS = 10;
const DAY_MS = 86_400_000;
const firstAt = Date.parse('2026-01-01T00:00:00Z');

const EVERYTHING: DeliveryFilter = {
  tenant: 'default',
  state: null,
  reason: null,
  faultCode: null,
  dataStructure: null,
  finding: null,
  word: null,
  requestId: null,
  user: null,
  users: null,
  assigned: null,
  receivedFrom: null,
  receivedTo: null,
};
const userIndex = (n: number): string => n.toString(16).padStart(64, '0');

/** Alone and together, common and rare, near and far. */
const QUESTIONS: readonly Partial<DeliveryFilter>[] = [
  {},
  { state: 'parked' },
  { state: 'delivered' },
  { reason: 'patient' },
  { faultCode: 'patient.none' },
  { dataStructure: 'lab_result' },
  { finding: 'code.unmapped' },
  { users: [userIndex(7)] },
  { users: [userIndex(7), userIndex(8), userIndex(9)] },
  { receivedFrom: firstAt + DAY_MS, receivedTo: firstAt + 2 * DAY_MS },
  { receivedTo: firstAt + 3 * DAY_MS, state: 'parked' },
  { receivedFrom: firstAt + DAY_MS, receivedTo: firstAt + 2 * DAY_MS, dataStructure: 'lab_result' },
  { state: 'delivered', dataStructure: 'lab_result' },
  { state: 'delivered', reason: 'patient' },
  { state: 'delivered', finding: 'code.unmapped' },
  { users: [userIndex(100)], state: 'parked', dataStructure: 'lab_result' },
];

/** Each question's first page, the page behind it, one from the middle, and its count. */
async function measure(store: Store, rows: number): Promise<number[]> {
  const inbox = store.use(inboxSet);
  const took: number[] = [];
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const done = await work();
    took.push(performance.now() - from);
    return done;
  };
  const middle: ListPlace = { seq: Math.floor(rows / 2), receivedAt: firstAt + Math.floor(rows / 2) * 1_000 };
  for (let n = 0; n < ROUNDS; n += 1)
    for (const question of QUESTIONS) {
      const page = (before: ListPlace | null) =>
        timed(() => inbox.read('inbox.list', { ...EVERYTHING, ...question, before, limit: 50 }));
      const first = await page(null);
      if (!first.ok) throw new Error(first.fault.code);
      await page(first.value.next);
      await page(middle);
      await timed(() => inbox.read('inbox.count', { ...EVERYTHING, ...question }));
    }
  return took.sort((a, b) => a - b);
}

async function figureOf(database: Database, fill: () => Promise<void>, rows: number): Promise<Figure> {
  const keys = {
    data: [secret(randomBytes(32).toString('base64'))],
    pseudonym: secret(randomBytes(32).toString('base64')),
  };
  const open = () =>
    openStore({
      database,
      keys,
      instance: 'ins_bench',
      sets: [auditSet, inboxSet],
      clock: systemClock,
      log: silentLog,
    });
  await (await open()).close();
  await fill();
  const store = await open();
  try {
    const took = await measure(store, rows);
    const at = (share: number): number => took[Math.floor(took.length * share)] ?? NaN;
    return {
      bench: 'deliveries',
      figure: `page-p95-${database.engine}`,
      ratio: round(GOAL_MS / at(0.95)),
      ours: round(at(0.95)),
      theirs: GOAL_MS,
      unit: 'ms',
      note: `pages and counts among ${rows} deliveries, against the goal; p50 ${round(at(0.5))}, slowest ${round(took.at(-1) ?? NaN)}`,
    };
  } finally {
    await store.close();
  }
}

export async function* run({ rows = ROWS }: { readonly rows?: number }): AsyncIterable<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  try {
    const file = join(folder, 'chartgate.db');
    yield await figureOf(
      { engine: 'sqlite', file, filesystem: 'any' },
      () => {
        const db = new DatabaseSync(file);
        db.exec('PRAGMA synchronous = OFF; BEGIN');
        for (const statement of fillDeliveries('sqlite', rows, firstAt)) db.exec(statement);
        db.exec('COMMIT');
        db.close();
        return Promise.resolve();
      },
      rows,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await makePostgresServer();
  try {
    const url = server.url('postgres');
    yield await figureOf(
      { engine: 'postgres', url: secret(url) },
      async () => {
        const client = new pg.Client(url);
        await client.connect();
        for (const statement of fillDeliveries('postgres', rows, firstAt)) await client.query(statement);
        await client.query('VACUUM ANALYZE');
        await client.end();
      },
      rows,
    );
  } finally {
    await server.remove();
  }
}
