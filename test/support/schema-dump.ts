import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet, laneSet, packDone, type WrittenRow } from '../../src/lanes/index.ts';
import type { Fingerprint } from '../../src/lanes/fingerprint.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { secret, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { BOOKKEEPING, MIGRATIONS, type Engine } from '../../src/store/migrations/index.ts';
import { migrate as migratePostgres } from '../../src/store/postgres/migrate.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { makeVault } from '../../src/store/vault.ts';

/*
 * A small database as a release left it behind, as the SQL that makes it anew. What is in it is made by the program
 * itself; earlier schemas, of before there were dumps, have the part of it that they have columns for.
 */

const bytesOf = (letter: string) => Buffer.alloc(32, letter);
export const DUMP_KEYS = {
  data: [secret(bytesOf('d').toString('base64'))],
  pseudonym: secret(bytesOf('p').toString('base64')),
};
export const DUMP_SETS = [auditSet, inboxSet, identitySet, deliverSet, laneSet];
export const DUMPED = {
  tenant: 'default',
  received: 'dlv_received',
  delivered: 'dlv_delivered',
  parked: 'dlv_parked',
} as const;
export const bodyOf = (id: string): Uint8Array => new TextEncoder().encode(`{"body":"${id}"}`);

/** Bodies of before deliveries had keys of their own were sealed by the data key. */
const KEYS_SINCE = 6;

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

/** One delivery that nobody has looked at, one that waits for a link, one that was written to the chart. */
export async function fillStore(store: Store): Promise<void> {
  const { tenant, received, delivered, parked } = DUMPED;
  const at = new Date('2026-01-02T03:04:05Z');
  const act = { tenant, at, requestId: 'req_dump', actor: 'operator' };
  const [inbox, deliver, lanes] = [store.use(inboxSet), store.use(deliverSet), store.use(laneSet)];
  const wanted = {
    id: 'lnk_dump',
    client: 'c',
    user: 'linked',
    mrnSystem: 'urn:mrn',
    mrn: '0001',
    status: 'confirmed',
  } as const;
  must(await deliver.write('deliver.link', { ...act, wanted: { ...wanted, evidence: null }, limit: 10 }));
  for (const [id, user] of [
    [delivered, 'linked'],
    [parked, 'stranger'],
    [received, null],
  ] as const) {
    const put = { id, tenant, hook: 'data', at, requestId: 'req_dump', receiver: 'ins_dump', sender: 'path' } as const;
    must(await inbox.write('inbox.put', { ...put, body: bodyOf(id) }));
    if (user === null) continue;
    const { seq } = must(await inbox.read('inbox.get', { tenant, id })) ?? { seq: 0 };
    const facts = {
      dataStructure: 'x',
      client: 'c',
      user,
      documentVersion: 1,
      contentDigest: null,
      findings: [],
      unmapped: [],
    };
    const document = {
      key: id,
      version: 1,
      clinicalDigest: createHash('sha256').update(id).digest(),
      order: 'version',
    } as const;
    const verdict = { kind: 'sound', trouble: null, document } as const;
    must(await deliver.write('deliver.settle', { tenant, seq, at, requestId: 'req_dump', facts, verdict }));
  }
  const owner = 'ins_dump';
  must(await lanes.write('lane.alive', { tenant, at, leaseMs: 1_000 }));
  const [claimed] = must(
    await lanes.write('lane.claim', { tenant, owner, at: new Date(), leaseMs: 1_000, limit: 1 }),
  ).claimed;
  if (claimed === undefined) throw new Error('nothing was claimed');
  const written: WrittenRow = {
    name: 'a1'.repeat(32),
    resourceType: 'Observation',
    id: 'o1',
    versionId: '1',
    group: 'body',
    chartDay: '2026-01-01',
    shelf: '2026-01-01',
    ledgerDocument: null,
    fingerprint: '01'.repeat(40) as Fingerprint,
    contentDigest: '02'.repeat(32),
    said: null,
    saidAt: 1,
    effect: 'created',
  };
  must(
    await lanes.write('lane.finish', {
      fence: { tenant, owner, patient: claimed.patient, epoch: claimed.epoch },
      jobSeq: claimed.job.seq,
      attemptId: null,
      outcome: { kind: 'delivered' },
      httpStatus: 200,
      retracted: [],
      ...packDone({ written: [written], retracted: [] }, at, claimed.delivery.seq),
      isResolved: true,
    }),
  );
}

type Cell = string | number | bigint | boolean | Date | Uint8Array | null;
type Row = Record<string, Cell>;
export type Rows = Record<string, Row[]>;

/** A database of one engine, as far as a dump needs it. */
export interface Dumpable {
  readonly engine: Engine;
  tables(): Promise<string[]>;
  columns(table: string): Promise<string[]>;
  all(sql: string): Promise<Row[]>;
  exec(sql: string): Promise<void>;
  migrate(upTo: number): Promise<string[]>;
  close(): Promise<void>;
}

const steps = (upTo: number) => MIGRATIONS.filter(({ version }) => version <= upTo);

export function openSqliteFile(file: string): Dumpable {
  // A dump may rewrite the text of the schema, as a step does.
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
  const all = (sql: string) => Promise.resolve(db.prepare(sql).all() as Row[]);
  const names = async (sql: string) => (await all(sql)).map(({ name }) => String(name));
  return {
    engine: 'sqlite',
    all,
    tables: () =>
      names(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`),
    columns: (table) => names(`SELECT name FROM pragma_table_info('${table}')`),
    exec: async (sql) => {
      await Promise.resolve();
      db.exec(sql);
    },
    migrate: (upTo) => Promise.resolve(migrateSqlite(db, steps(upTo), 0)),
    close: async () => {
      await Promise.resolve();
      db.close();
    },
  };
}

export async function openPostgresDatabase(url: string): Promise<Dumpable> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('SET session_replication_role = replica');
  const all = async (sql: string) => (await client.query<Row>(sql)).rows;
  const names = async (sql: string) => (await all(sql)).map(({ name }) => String(name));
  return {
    engine: 'postgres',
    all,
    tables: () =>
      names(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid`,
      ),
    columns: (table) =>
      names(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      ),
    exec: async (sql) => {
      await client.query(sql);
    },
    migrate: (upTo) => migratePostgres(client, steps(upTo), 0),
    close: () => client.end(),
  };
}

export async function readRows(from: Dumpable): Promise<Rows> {
  const rows: Rows = {};
  for (const table of await from.tables()) rows[table] = await from.all(`SELECT * FROM ${table}`);
  return rows;
}

/** The rows of the newest schema as an earlier one would have them. */
export async function rowsOf(version: number, rows: Rows, at: Dumpable): Promise<Rows> {
  const vault = makeVault({ data: [bytesOf('d')], pseudonym: bytesOf('p') });
  const kept: Rows = {};
  for (const table of await at.tables()) {
    const columns = new Set(await at.columns(table));
    kept[table] = (rows[table] ?? [])
      .filter((row) => table !== 'schema_step' || Number(row['version']) <= version)
      .map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => columns.has(column))));
  }
  if (version >= KEYS_SINCE) return kept;
  const ids = new Map((rows['delivery'] ?? []).map(({ seq, id }) => [String(seq), String(id)]));
  for (const row of kept['delivery_body'] ?? []) {
    const id = ids.get(String(row['seq'])) ?? '';
    row['sealed'] = vault.seal(bodyOf(id), `delivery_body.sealed/${id}`);
  }
  for (const row of kept['delivery'] ?? []) Object.assign(row, { user_sealed: null, findings_sealed: null });
  return kept;
}

function literal(value: Cell, engine: Engine): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex');
    return engine === 'sqlite' ? `X'${hex}'` : `'\\x${hex}'`;
  }
  if (value instanceof Date) return `'${value.toISOString()}'`;
  // PostgreSQL's own words for a time before all others.
  if (value === -Infinity) return `'-infinity'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** Schema and rows as they are at a version, told by nothing but this text. */
export function toSql(version: number, rows: Rows, engine: Engine): string {
  const lines = [
    `-- schema version ${version} on ${engine}; made by tools/dump-schema.ts, never changed`,
    BOOKKEEPING[engine],
  ];
  for (const step of steps(version)) lines.push(step[engine]);
  const over = engine === 'postgres' ? ' OVERRIDING SYSTEM VALUE' : '';
  for (const [table, all] of Object.entries(rows))
    for (const row of all) {
      const values = Object.values(row).map((value) => literal(value, engine));
      lines.push(`INSERT INTO ${table} (${Object.keys(row).join(', ')})${over} VALUES (${values.join(', ')});`);
    }
  if (engine === 'postgres')
    for (const [table, column] of IDENTITIES) {
      const last = Math.max(0, ...(rows[table] ?? []).map((row) => Number(row[column])));
      if (last > 0) lines.push(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ${last});`);
    }
  return `${lines.join('\n')}\n`;
}

const IDENTITIES = [
  ['delivery', 'seq'],
  ['unmapped', 'seq'],
  ['link', 'seq'],
  ['job', 'seq'],
  ['attempt', 'seq'],
  ['audit_chain', 'n'],
] as const;
