import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { serveSettings } from '../test/support/run-process.ts';

/** A process of its own that is measured. */
export interface Side {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly cpuSeconds: () => Promise<number>;
  /** Resident memory at its peak; null where the system does not tell. */
  readonly peakMb: () => number | null;
  readonly kill: () => void;
  /** Ends it in good order. */
  readonly end: () => Promise<void>;
}

/** The first line of a process that holds `wanted`, parsed. What comes after it is thrown away, at little cost. */
function firstLine(child: ChildProcess, wanted: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const { stdout } = child;
    if (stdout === null) throw new Error('no output');
    let got = '';
    const look = (part: Buffer): void => {
      got += part.toString();
      const line = got
        .split('\n')
        .slice(0, -1)
        .find((one) => one.includes(wanted));
      if (line === undefined) return;
      stdout.off('data', look);
      stdout.resume();
      resolve(JSON.parse(line) as Record<string, unknown>);
    };
    stdout.on('data', look);
    child.on('exit', (code) => reject(new Error(`ended with ${String(code)}`)));
  });
}

function peakMbOf(pid: number): number | null {
  const file = `/proc/${pid}/status`;
  const [, kb] = (existsSync(file) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) : null) ?? [];
  return kb === undefined ? null : Number(kb) / 1024;
}

function sideOf(child: ChildProcess, port: unknown, path: string, cpuSeconds: Side['cpuSeconds']): Side {
  return {
    pid: child.pid ?? 0,
    port: Number(port),
    path,
    cpuSeconds,
    peakMb: () => peakMbOf(child.pid ?? 0),
    kill: () => void child.kill('SIGKILL'),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What `/metrics` of a gateway says under names, all of one look; 0 for what it does not name. */
export async function metricsOf(port: number, names: readonly string[]): Promise<readonly number[]> {
  const lines = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split('\n');
  return names.map((name) => {
    const line = lines.find((one) => one.startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.slice(name.length + 1));
  });
}
export const metricOf = async (port: number, name: string): Promise<number> => (await metricsOf(port, [name]))[0] ?? 0;

/**
 * A gateway on a SQLite file of its own, or where the further settings say. BENCH_NODE_OPTIONS is given to its Node, such as
 * `--cpu-prof`.
 */
export async function startGateway(file: string, more: Record<string, string>): Promise<Side> {
  const env = { ...serveSettings(`sqlite:${file}?filesystem=any&create=yes`), ...more };
  const options = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((one) => one !== '');
  const child = spawn(process.execPath, [...options, 'src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port } = await firstLine(child, 'process.started');
  return sideOf(child, port, `/webhooks/${env['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`, () =>
    metricOf(Number(port), 'process_cpu_seconds_total'),
  );
}

/** A server of this folder that prints its port and tells its CPU time at `/cpu`. */
export async function startServer(file: string, ...args: readonly string[]): Promise<Side> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { port } = await firstLine(child, 'port');
  return sideOf(child, port, '/hook', async () => {
    const { user, system } = (await (await fetch(`http://127.0.0.1:${String(port)}/cpu`)).json()) as {
      user: number;
      system: number;
    };
    return (user + system) / 1e6;
  });
}
