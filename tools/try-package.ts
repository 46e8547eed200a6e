/*
 * `npm run test:package`: packs both packages as they would be published, installs them in an empty folder as somebody
 * would who has only npm, runs the demonstration there, and looks at what it serves. Needs a registry, as `npm ci` does.
 * Where the machine's own Node is older than ours, it is also shown what the command says there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../test/support/postgres-server.ts';
import { must, statusOf } from './try-steps.ts';

const READY_MS = 180_000;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const folder = mkdtempSync(join(tmpdir(), 'chartgate-package-'));
/** Ours first, and nothing of this checkout. */
const path = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
const withOurNode = { ...process.env, PATH: [dirname(process.execPath), ...path].join(delimiter) };
const withMachineNode = { ...process.env, PATH: path.join(delimiter) };

function run(
  command: readonly [string, ...string[]],
  of: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): { readonly code: number; readonly said: string } {
  const [name, ...args] = command;
  const { status, stdout, stderr } = spawnSync(name, args, { ...of, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { code: status ?? 1, said: `${stdout}${stderr}` };
}

function pack(): void {
  for (const args of [['pack'], ['pack', '-w', 'sandbox']]) {
    const { code, said } = run(['npm', ...args, '--pack-destination', folder], { cwd: '.', env: process.env });
    must(code === 0, `npm ${args.join(' ')}${code === 0 ? '' : `\n${said.slice(-2_000)}`}`);
  }
  for (const file of readdirSync(folder))
    console.log(`  ${file}: ${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`);
  for (const which of [[], ['-w', 'sandbox']]) {
    // What was packed just now need not be built again.
    const args = ['publish', '--dry-run', '--ignore-scripts', '--tag', 'next', ...which];
    const { code, said } = run(['npm', ...args], { cwd: '.', env: process.env });
    must(code === 0, `npm ${args.join(' ')}${code === 0 ? '' : `\n${said.slice(-2_000)}`}`);
  }
}

/** What a consumer installs: nothing of it runs at the installation, and nothing of it is for one kind of machine. */
function install(): void {
  const { code, said } = run(['npm', 'install', '--no-audit', '--no-fund', `./chartgate-${version}.tgz`], {
    cwd: folder,
    env: withOurNode,
  });
  must(code === 0, `npm install ./chartgate-${version}.tgz${code === 0 ? '' : `\n${said}`}`);
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly os?: unknown }>>;
  };
  const odd = Object.entries(lock.packages).filter(([, { hasInstallScript, os }]) => hasInstallScript || os);
  must(
    odd.length === 0,
    `no install scripts and no native packages (${Object.keys(lock.packages).length - 1} packages)`,
  );
}

async function demonstrate(): Promise<void> {
  const [gateway = 0, ehr = 0, service = 0, app = 0] = await Promise.all([1, 2, 3, 4].map(freePort));
  const ports = ['--port', gateway, '--ehr-port', ehr, '--service-port', service, '--app-port', app].map(String);
  const from = performance.now();
  const child = spawn('npx', [`./chartgate-${version}.tgz`, 'demo', '--install', '--users', '2', ...ports], {
    cwd: folder,
    env: { ...withOurNode, npm_config_yes: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    const isUp = (): boolean => said.includes('Chartgate runs.');
    while (!isUp() && child.exitCode === null && performance.now() - from < READY_MS) await pause(250);
    must(isUp(), `npx ./chartgate-${version}.tgz demo --install${isUp() ? '' : `\n${said}`}`);
    const base = `http://localhost:${gateway}`;
    for (const url of [
      `${base}/readyz`,
      `${base}/console/`,
      `${base}/docs`,
      `${base}/docs/guide/`,
      `${base}/fhir/metadata`,
      `http://localhost:${ehr}/fhir/metadata`,
      `http://localhost:${service}/`,
      `http://localhost:${app}/`,
      `http://localhost:${app}/vendor/fhirclient.js`,
    ])
      must((await statusOf(url)) === 200, `${new URL(url).pathname} of port ${new URL(url).port}`);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

function tryOlderNode(): void {
  const { said: own } = run(['node', '--version'], { cwd: folder, env: withMachineNode });
  const [, major = ''] = /^v(\d+)/.exec(own) ?? [];
  if (major === '' || Number(major) >= 24) {
    console.log(`not tried with an older Node: this machine has ${own.trim()}`);
    return;
  }
  const bin = join(folder, 'node_modules', '.bin', 'chartgate');
  const { code, said } = run([bin, 'demo'], { cwd: folder, env: withMachineNode });
  must(
    code === 78 && said.includes('needs Node 24') && !said.includes('SyntaxError'),
    `with Node ${own.trim()} it says what to do`,
  );
}

try {
  pack();
  install();
  tryOlderNode();
  await demonstrate();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
