import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { authSet } from '../src/auth/index.ts';
import { auditSet } from '../src/audit/index.ts';
import { secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type Database } from '../src/store/index.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { serveSettings } from '../test/support/run-process.ts';
import { fillLists } from './fill-lists.ts';
import { round, type Figure } from './figure.ts';
import { startGateway, type Side } from './side.ts';

const ROWS = 1_000_000;
/** What a page may take. */
const GOAL_MS = 50;
const WARM = 3;
const ROUNDS = 20;
const LINKS = 5_000;
const LINKS_AT_ONCE = 250;
const GRANTS = 10_000;
const GRANTS_AT_ONCE = 200;
const DAY_MS = 86_400_000;
const APP = 'app_bench';
const OPERATOR = 'opr_00000000000000000000000001';

/** Every list of the admin API that grows with what is stored, alone and where filters meet; and what stands beside. */
const questionsOf = (now: number): readonly (readonly [name: string, path: string])[] => {
  const [from, to] = [now - 2 * DAY_MS, now - DAY_MS].map((ms) => new Date(ms).toISOString());
  const time = `received_from=${from ?? ''}&received_to=${to ?? ''}`;
  const deliveries: readonly (readonly [string, string])[] = [
    ['all', ''],
    ['state', 'state=delivered'],
    ['reason', 'reason=reason-1'],
    ['fault', 'fault=patient.none'],
    ['structure', 'data_structure=lab_result'],
    ['finding', 'finding=code.unmapped'],
    ['mrn', 'mrn=mrn-7'],
    ['user', 'user_id=user-7'],
    ['time', time],
    ['assigned', `assigned_to=${OPERATOR}`],
    ['assigned to nobody', 'assigned_to=nobody'],
    ['a state that none is in', 'state=unknown'],
    ['a fault that none has', 'fault=ehr.partial'],
    ['state and nobody', 'state=parked&assigned_to=nobody'],
    ['state and structure', 'state=delivered&data_structure=lab_result'],
    ['state and finding', 'state=queued&finding=code.unmapped'],
    ['state, reason and fault', 'state=parked&reason=reason-2&fault=patient.none'],
    ['state and structure that never meet', 'state=quarantined&data_structure=lab_result'],
    ['time and state', `${time}&state=parked`],
    ['time and structure', `${time}&data_structure=lab_result`],
  ];
  return [
    ...deliveries.map(([name, query]) => [`deliveries by ${name}`, `deliveries?with_total=true&${query}`] as const),
    ['one delivery', `deliveries/dlv_${'7'.padStart(26, '0')}`],
    ['groups', 'deliveries/groups'],
    ['ledger', 'ledger'],
    ['lanes that wait', 'targets/ehr/lanes'],
    ['targets', 'targets'],
    ['links', 'links'],
    ['links by status', 'links?status=proposed'],
    ['links by mrn', 'links?mrn=mrn-7'],
    ['patients', 'patients'],
    ['timeline', 'patients/mrn-7/timeline'],
    ['grants', `grants?client_id=${APP}`],
    ['audit', 'audit'],
    ['audit by patient', 'audit?patient=mrn-7'],
    ['restrictions', 'restrictions'],
    ['jobs', 'jobs'],
    ['unmapped', 'unmapped'],
  ];
};

interface Engine {
  readonly database: Database;
  readonly url: string;
  /** Carries statements out that nobody must flush. */
  readonly fill: (statements: readonly string[]) => Promise<void>;
}

const ask = async ({ port }: Side, token: string, path: string, csv: string | null = null): Promise<unknown> => {
  const authorization = `Bearer ${token}`;
  const answer = await fetch(
    `http://127.0.0.1:${port}/admin/api/${path}`,
    csv === null
      ? { headers: { authorization } }
      : { method: 'POST', headers: { authorization, 'content-type': 'text/csv' }, body: csv },
  );
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};

async function linkUsers(gateway: Side, token: string): Promise<void> {
  const row = (n: number): string => `user-${n},mrn-${n},${n % 500 === 0 ? 'proposed' : 'confirmed'}`;
  for (let from = 0; from < LINKS; from += LINKS_AT_ONCE) {
    const rows = Array.from({ length: LINKS_AT_ONCE }, (_, i) => row(from + i));
    await ask(gateway, token, 'links/import', ['user_id,mrn,status', ...rows].join('\n'));
  }
}

/** Of an app that many use: of ten grants nine have no token any more. */
async function giveGrants(database: Database, env: Readonly<Record<string, string>>, now: number): Promise<void> {
  const store = await openStore({
    database,
    keys: {
      data: [secret(env['CHARTGATE_DATA_KEY'] ?? '')],
      pseudonym: secret(env['CHARTGATE_PSEUDONYM_KEY'] ?? ''),
    },
    instance: 'ins_bench',
    sets: [auditSet, authSet],
    clock: systemClock,
    log: silentLog,
  });
  const auth = store.use(authSet);
  const put = (kind: string, n: number): Promise<unknown> =>
    auth.write('auth.put', {
      tenant: 'default',
      kind,
      id: `${kind}-${n}`,
      payload: { clientId: APP, accountId: `acc_${n}`, grantId: `Grant-${n}`, scope: 'patient/*.rs' },
      grantId: `Grant-${n}`,
      uid: null,
      expiresAt: new Date(now + 30 * DAY_MS),
      at: new Date(now - n * 1_000),
      as: 'replacement',
    });
  for (let from = 0; from < GRANTS; from += GRANTS_AT_ONCE) {
    const some = Array.from({ length: GRANTS_AT_ONCE }, (_, i) => from + i);
    const tokens = some.filter((n) => n % 10 === 9);
    await Promise.all([...some.map((n) => put('Grant', n)), ...tokens.map((n) => put('AccessToken', n))]);
  }
  await store.close();
}

/** Each question's first page, and the one behind it where there is one. */
async function measure(gateway: Side, token: string, now: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const took = new Map<string, number[]>();
  const timed = async (name: string, path: string, isCounted: boolean): Promise<string | null> => {
    const from = performance.now();
    const answer = (await ask(gateway, token, path)) as { readonly next?: string | null };
    if (isCounted) took.set(name, [...(took.get(name) ?? []), performance.now() - from]);
    return answer.next ?? null;
  };
  for (let n = -WARM; n < ROUNDS; n += 1)
    for (const [name, path] of questionsOf(now)) {
      const next = await timed(name, path, n >= 0);
      if (next === null) continue;
      await timed(name, `${path}${path.includes('?') ? '&' : '?'}cursor=${next}`, n >= 0);
    }
  return took;
}

async function* figuresOf({ database, url, fill }: Engine, rows: number): AsyncGenerator<Figure> {
  const now = Date.now();
  const env: Record<string, string> = { ...serveSettings(url), CHARTGATE_CLIENT_UUID: 'bench' };
  const token = env['CHARTGATE_ADMIN_TOKEN'] ?? '';
  const before = await startGateway('', env);
  try {
    await linkUsers(before, token);
  } finally {
    await before.end();
  }
  await giveGrants(database, env, now);
  await fill(fillLists({ engine: database.engine, rows, links: LINKS, now }));
  const gateway = await startGateway('', env);
  try {
    for (const [name, times] of await measure(gateway, token, now)) {
      const sorted = [...times].sort((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
      yield {
        bench: 'lists',
        figure: `${name}, ${database.engine}`,
        ratio: round(GOAL_MS / at(0.95)),
        ours: round(at(0.95)),
        theirs: GOAL_MS,
        unit: 'ms',
        note: `p95 of ${sorted.length} pages over HTTP among ${rows} deliveries, against the goal; p50 ${round(at(0.5))}, slowest ${round(at(1 - 1 / sorted.length))}`,
      };
    }
  } finally {
    await gateway.end();
  }
}

function onSqlite(file: string): Engine {
  return {
    database: { engine: 'sqlite', file, filesystem: 'any' },
    url: `sqlite:${file}?filesystem=any&create=yes`,
    fill: (statements) => {
      const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
      db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY; BEGIN');
      for (const statement of statements) db.exec(statement);
      db.exec('COMMIT');
      db.close();
      return Promise.resolve();
    },
  };
}

function onPostgres(url: string): Engine {
  return {
    database: { engine: 'postgres', url: secret(url) },
    url,
    fill: async (statements) => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('SET session_replication_role = replica');
      for (const statement of statements) await client.query(statement);
      await client.query('VACUUM ANALYZE');
      await client.end();
    },
  };
}

export async function* run({ rows = ROWS }: { readonly rows?: number }): AsyncIterable<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  try {
    yield* figuresOf(onSqlite(join(folder, 'chartgate.db')), rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await makePostgresServer();
  try {
    yield* figuresOf(onPostgres(server.url('postgres')), rows);
  } finally {
    await server.remove();
  }
}
