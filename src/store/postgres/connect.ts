import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { PostgresDb } from '../commands.ts';

const INT8 = 20;
const STATEMENT_MS = 5_000;
const parserOf = pg.types.getTypeParser as (oid: number, format?: string) => unknown;

/** Our int8 columns are counters and milliseconds, far below 2^53, so numbers are exact. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    return oid === INT8 && format !== 'binary' ? Number : (parserOf(oid, format) as (value: string) => unknown);
  },
};

/** What an address may say beside where the server is: anything else there would win over the limits below. */
const FROM_ADDRESS = new Set(['host', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert']);

function withoutLimits(address: string): string {
  const url = new URL(address);
  for (const name of [...url.searchParams.keys()]) if (!FROM_ADDRESS.has(name)) url.searchParams.delete(name);
  return url.href;
}

/** Where the server is, for a person: without user, password and options. */
export function addressOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  const hosts = searchParams.getAll('host');
  return (hosts.length > 0 ? hosts : [hostname])
    .map((host) => (host.startsWith('/') ? host : `${host}:${port || '5432'}`))
    .join(', ');
}

export function clientConfig(url: string, name: string): pg.ClientConfig {
  return {
    connectionString: withoutLimits(url),
    application_name: name,
    connectionTimeoutMillis: 5_000,
    statement_timeout: STATEMENT_MS,
    // Ours, for a server that is there and silent: longer than its own, so that its answer is heard where it has one.
    query_timeout: STATEMENT_MS + 3_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 10_000,
    options: '-c tcp_user_timeout=15000 -c client_connection_check_interval=5000',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

const names = new Map<string, string>();
/** Statements are prepared under one name for each distinct text; texts are constants of the code base. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `chartgate_${names.size}`;
    names.set(sql, name);
  }
  return name;
}

const streamOf = (client: pg.Client | pg.PoolClient): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** What is sent in one turn goes out as one piece: each piece costs the system as much as a short statement does. */
export function sendTogether(client: pg.Client | pg.PoolClient): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * A database for one command: what it still asks after it was settled belongs to nobody's transaction, and is refused.
 */
export function makeDb(client: pg.Client | pg.PoolClient): PostgresDb & { end(): void } {
  let isOver = false;
  const query = (sql: string, params: unknown[]) => {
    if (isOver) return Promise.reject(new Error('the command was settled already'));
    sendTogether(client);
    return client.query<Record<string, unknown>>({ name: nameOf(sql), text: sql, values: params });
  };
  return {
    get: async (sql, ...params) => (await query(sql, params)).rows[0],
    all: async (sql, ...params) => (await query(sql, params)).rows,
    run: async (sql, ...params) => ({ changes: (await query(sql, params)).rowCount ?? 0 }),
    end: () => void (isOver = true),
  };
}

const CLOSE_MS = 2_000;

/** A polite end, or after a while the end of the socket: a silent server must not keep a process alive. */
export async function endClient(client: pg.Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      streamOf(client).destroy();
      resolve();
    }, CLOSE_MS);
  });
  await Promise.race([client.end().catch(() => undefined), late]);
  clearTimeout(timer);
}
