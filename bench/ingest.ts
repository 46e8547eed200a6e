import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serveSettings } from '../test/support/run-process.ts';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { median, round, type Figure } from './figure.ts';
import { TEMPLATE_MARK, load, makeTemplate, type Loaded } from './load.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const WARM_MS = 1_500;

interface Side {
  readonly child: ChildProcess;
  readonly port: number;
  readonly path: string;
  readonly cpuSeconds: () => Promise<number>;
}

/** The first line of a process that `isWanted`, parsed. */
function firstLine(child: ChildProcess, isWanted: (line: string) => boolean): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('no output');
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => {
      if (isWanted(line)) resolve(JSON.parse(line) as Record<string, unknown>);
    });
    child.on('exit', (code) => reject(new Error(`ended with ${String(code)}`)));
  });
}

async function startOurs(folder: string): Promise<Side> {
  const env: Record<string, string> = {
    ...serveSettings(`sqlite:${join(folder, 'chartgate.db')}?filesystem=any`),
    CHARTGATE_CLIENT_UUID: 'bench',
  };
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port } = await firstLine(child, (line) => line.includes('process.started'));
  return {
    child,
    port: Number(port),
    path: `/webhooks/${env['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`,
    cpuSeconds: async () => {
      const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
    },
  };
}

async function startTheirs(): Promise<Side> {
  const child = spawn(process.execPath, ['bench/noop-server.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { port } = await firstLine(child, (line) => line.includes('port'));
  return {
    child,
    port: Number(port),
    path: '/hook',
    cpuSeconds: async () => {
      const { user, system } = (await (await fetch(`http://127.0.0.1:${String(port)}/cpu`)).json()) as {
        user: number;
        system: number;
      };
      return (user + system) / 1e6;
    },
  };
}

/** A clinical_ready of 16 entries, each its own document by its id. */
const aDelivery = (): string => JSON.stringify(aClinicalReady({ bundleId: `bundle-${TEMPLATE_MARK}`, clientUuid: 'bench' }));

/** Durable acknowledgements against a server that only parses the same body, in turns. */
export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const template = makeTemplate(aDelivery());
  const bytes = template.before.length + template.after.length;
  const ours = await startOurs(folder);
  const theirs = await startTheirs();
  const settledSound = async (): Promise<boolean> =>
    /settled_total\{state="parked",reason="unlinked"\}/.test(await (await fetch(`http://127.0.0.1:${ours.port}/metrics`)).text());
  const results = { ours: [] as (Loaded & { cpuUs: number })[], theirs: [] as (Loaded & { cpuUs: number })[] };
  try {
    for (const side of [ours, theirs]) await load(side.port, side.path, template, CONNECTIONS, WARM_MS);
    for (let i = 0; i < ROUNDS; i += 1)
      for (const [name, side] of [
        ['ours', ours],
        ['theirs', theirs],
      ] as const) {
        const before = await side.cpuSeconds();
        const loaded = await load(side.port, side.path, template, CONNECTIONS, ROUND_MS);
        const count = [...loaded.statuses.values()].reduce((a, b) => a + b, 0);
        if (loaded.statuses.get(202) !== count) throw new Error(`${name}: not every answer was 202`);
        results[name].push({ ...loaded, cpuUs: (((await side.cpuSeconds()) - before) * 1e6) / count });
      }
    if (!(await settledSound())) throw new Error('the deliveries of this bench are not sound');
  } finally {
    for (const { child } of [ours, theirs]) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (side: 'ours' | 'theirs', what: 'perSecond' | 'p99Ms' | 'cpuUs'): number =>
    median(results[side].map((one) => one[what]));
  const figure = (title: string, what: 'perSecond' | 'p99Ms' | 'cpuUs', unit: string, note: string): Figure => ({
    bench: 'ingest',
    figure: title,
    ratio: round(what === 'perSecond' ? of('ours', what) / of('theirs', what) : of('theirs', what) / of('ours', what)),
    ours: round(of('ours', what)),
    theirs: round(of('theirs', what)),
    unit,
    note,
  });
  yield figure(
    'ack-vs-noop',
    'perSecond',
    'acknowledged/s',
    `${bytes} bytes, ${CONNECTIONS} connections, SQLite FULL, judged in the same time; theirs: Express 5 and express.json()`,
  );
  yield figure('p99-vs-noop', 'p99Ms', 'ms', 'p99 of the answer');
  yield figure('cpu-vs-noop', 'cpuUs', 'us of CPU a request', 'all threads of the process, judging included');
}
