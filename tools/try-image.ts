/*
 * `npm run test:image`: builds the images of the Dockerfile without a daemon and without a registry, and runs them as
 * they are meant to run: on a root that cannot be written, as an ordinary user, without capabilities. What the
 * Dockerfile calls node:24-slim is made here of Debian's packages and the Node of this project.
 * Needs root, buildah and debootstrap (Debian has both), and a registry of packages, as `npm ci` does; ends with 3
 * where one of them is missing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { freePort } from '../test/support/postgres-server.ts';
import { must, statusOf } from './try-steps.ts';

const NOT_RUN = 3;
const BASE = 'localhost/node:24-slim';
const BYTES_MAX = 300e6;
const READY_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'chartgate-image-'));
const undo: (() => void)[] = [];

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout.slice(-3_000)}${stderr.slice(-3_000)}`);
  return stdout.trim();
}
const isThere = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** Debian, a user `node` with the uid 1000, Node and npm: what the real one has. */
function makeBase(): void {
  const container = run('buildah', 'from', 'scratch');
  const root = run('buildah', 'mount', container);
  const apt = ['/etc/apt/sources.list', '/etc/apt/sources.list.d'].flatMap((path) => {
    try {
      return path.endsWith('.d')
        ? readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'))
        : readFileSync(path, 'utf8');
    } catch {
      return [];
    }
  });
  const [, mirror = 'http://deb.debian.org/debian'] =
    /(?:URIs:|^deb(?: \[[^\]]*\])?)\s+(\S+debian\/?)(?:\s|$)/m.exec(apt.join('\n')) ?? [];
  run('debootstrap', '--variant=minbase', 'bookworm', root, mirror);
  run('chroot', root, 'useradd', '--uid', '1000', '--create-home', '--shell', '/bin/bash', 'node');
  run('chroot', root, 'apt-get', 'clean');
  for (const path of ['var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/log'])
    rmSync(join(root, path), { recursive: true, force: true });
  cpSync(realpathSync(process.execPath), join(root, 'usr/local/bin/node'));
  // …/npm/bin/npm-cli.js, or npx beside it.
  const npm = dirname(dirname(realpathSync(run('sh', '-c', 'command -v npm'))));
  mkdirSync(join(root, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  mkdirSync(join(root, 'etc'), { recursive: true });
  run('buildah', 'config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
  run('buildah', 'umount', container);
  run('buildah', 'commit', '--quiet', '--rm', container, BASE);
}

/** The authorities that this machine trusts and Node does not know: of a proxy, if there is one on the way. */
function companyAuthorities(): readonly string[] {
  const { NODE_EXTRA_CA_CERTS: file = '' } = process.env;
  const known = new Set(rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256));
  const certificates = file === '' ? [] : (readFileSync(file, 'utf8').match(/-----BEGIN[^]*?-----END.*-----/g) ?? []);
  const own = certificates.filter((pem) => !known.has(new X509Certificate(pem).fingerprint256));
  // One argument of a process has at most 128 KiB; a distribution puts those of the machine last.
  const last = own.slice(-40);
  return last.length === 0 ? [] : ['--build-arg', `COMPANY_CA=${last.join('\n')}`];
}

interface Image {
  readonly root: string;
  readonly env: readonly string[];
  readonly entry: readonly string[];
  readonly health: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly user: string;
  readonly bytes: number;
}

function build(target: 'gateway' | 'demo', args: readonly string[]): Image {
  const name = `localhost/chartgate-${target}:test`;
  const from = performance.now();
  run(
    'buildah',
    'bud',
    '--isolation',
    'chroot',
    '--layers',
    '--pull-never',
    '--format',
    'docker',
    '--target',
    target,
    ...args,
    '-t',
    name,
    '.',
  );
  const about = JSON.parse(run('buildah', 'inspect', '--type', 'image', name)) as {
    readonly Docker: { readonly config: Readonly<Record<string, unknown>> };
  };
  const { config } = about.Docker;
  const container = run('buildah', 'from', '--pull-never', name);
  undo.push(() => run('buildah', 'rm', container));
  const root = run('buildah', 'mount', container);
  const bytes = Number(run('du', '-sxb', root).split(/\s/)[0]);
  console.log(`${target}: built in ${Math.round((performance.now() - from) / 1_000)} s, ${Math.round(bytes / 1e6)} MB`);
  const list = (name: string): readonly string[] => (config[name] as readonly string[] | null) ?? [];
  const health = (config['Healthcheck'] as { readonly Test: readonly string[] } | undefined)?.Test.slice(1) ?? [];
  return {
    root,
    env: list('Env'),
    entry: [...list('Entrypoint'), ...list('Cmd')],
    health,
    labels: (config['Labels'] as Record<string, string> | null) ?? {},
    user: String(config['User']),
    bytes,
  };
}

/** In the image: nothing can be written but the volume, the user is not root, and nothing can become it. */
function inside({ root }: Image, data: string, files: string, command: readonly string[], env: readonly string[]) {
  const quoted = (words: readonly string[]): string =>
    words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const script = `set -e
mount --bind ${root} ${root}
mount --bind ${data} ${root}/var/lib/chartgate/data
mount -t tmpfs tmpfs ${root}/mnt && cp ${files}/* ${root}/mnt/ 2> /dev/null || true
mount -t proc proc ${root}/proc
touch ${root}/etc/hosts && mount --bind /etc/hosts ${root}/etc/hosts
mount --rbind /dev ${root}/dev
mount -o remount,ro,bind ${root}
exec setpriv --no-new-privs --inh-caps=-all chroot --userspec=1000:1000 ${root} env -i HOME=/tmp ${quoted(env)} sh -c ${quoted(
    [`cd /var/lib/chartgate && exec ${quoted(command)}`],
  )}`;
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ends(child: ReturnType<typeof inside>): Promise<number> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

const newData = (): string => {
  const data = mkdtempSync(join(folder, 'data-'));
  run('chown', '1000:1000', data);
  return data;
};

async function tryGateway(image: Image): Promise<void> {
  must(image.bytes < BYTES_MAX, `smaller than ${BYTES_MAX / 1e6} MB`);
  must(image.user === 'node', 'runs as an ordinary user');
  for (const label of ['title', 'description', 'version', 'revision', 'licenses'])
    must((image.labels[`org.opencontainers.image.${label}`] ?? '') !== '', `label ${label}`);
  const files = join(folder, 'files');
  mkdirSync(files);
  const keys = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  run('openssl', ...keys, '-keyout', join(files, 'key.pem'), '-out', join(files, 'cert.pem'));
  run('chmod', 'a+r', join(files, 'key.pem'));
  const key = (): string => run('openssl', 'rand', '-base64', '32');
  const shared = [
    ...image.env,
    `CHARTGATE_DATA_KEY=${key()}`,
    `CHARTGATE_AUDIT_KEY=${key()}`,
    `CHARTGATE_PSEUDONYM_KEY=${key()}`,
    `CHARTGATE_ADMIN_TOKEN=${run('openssl', 'rand', '-hex', '32')}`,
    'CHARTGATE_EHR_URL=http://127.0.0.1:9/fhir',
    'CHARTGATE_MRN_SYSTEM=urn:example:mrn',
    `CHARTGATE_WEBHOOK_SECRET=${run('openssl', 'rand', '-hex', '32')}`,
    `CHARTGATE_WEBHOOK_HMAC_KEY=whsec_${key()}`,
    'CHARTGATE_WEBHOOK_HMAC=standard-webhooks',
    'CHARTGATE_CLIENT_UUID=test',
    'CHARTGATE_DATABASE_URL=sqlite:data/chartgate.db?filesystem=any',
    'CHARTGATE_DRAIN_SECONDS=0',
  ];
  for (const tls of [false, true]) {
    const port = await freePort();
    const env = [
      ...shared,
      `CHARTGATE_PORT=${port}`,
      `CHARTGATE_PUBLIC_URL=${tls ? 'https' : 'http'}://localhost:${port}`,
      ...(tls
        ? ['CHARTGATE_TLS_CERT_FILE=/mnt/cert.pem', 'CHARTGATE_TLS_KEY_FILE=/mnt/key.pem']
        : ['CHARTGATE_TRUST_PROXY=10.0.0.1']),
    ];
    const data = newData();
    const from = performance.now();
    const child = inside(image, data, files, image.entry, env);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
    const ended = ends(child);
    let isHealthy = false;
    while (!isHealthy && child.exitCode === null && performance.now() - from < READY_MS) {
      await pause(200);
      isHealthy = (await ends(inside(image, data, files, image.health, env))) === 0;
    }
    const way = tls ? 'with TLS' : 'behind a proxy';
    must(
      isHealthy,
      `healthy on a read-only root, ${way}, in ${((performance.now() - from) / 1_000).toFixed(1)} s${isHealthy ? '' : `\n${said}`}`,
    );
    // Everything before it became it: unshare, chroot and env start nothing beside themselves.
    const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
    must(
      /^Uid:\s+1000\s/m.test(status) && /^CapEff:\s+0+$/m.test(status) && /^NoNewPrivs:\s+1$/m.test(status),
      'without capabilities, as uid 1000',
    );
    child.kill('SIGTERM');
    must((await ended) === 0, `drains and ends with 0, ${way}`);
    must((await ends(inside(image, data, files, image.health, env))) === 1, 'is not healthy once it has ended');
  }
}

async function tryDemo(image: Image): Promise<void> {
  const ports = await Promise.all([1, 2, 3, 4].map(freePort));
  const [port = 0, ehr = 0, service = 0, app = 0] = ports;
  const files = join(folder, 'none');
  mkdirSync(files);
  const words = ['--port', port, '--ehr-port', ehr, '--service-port', service, '--app-port', app, '--users', 1].map(
    String,
  );
  const from = performance.now();
  const child = inside(image, newData(), files, [...image.entry, ...words], image.env);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  const ended = ends(child);
  while (!said.includes('Chartgate runs.') && child.exitCode === null && performance.now() - from < READY_MS)
    await pause(200);
  must(
    said.includes('Chartgate runs.'),
    `the demonstration runs, in ${((performance.now() - from) / 1_000).toFixed(1)} s${said.includes('Chartgate runs.') ? '' : `\n${said}`}`,
  );
  for (const url of [
    `http://localhost:${port}/readyz`,
    `http://localhost:${port}/console/`,
    `http://localhost:${ehr}/fhir/metadata`,
    `http://localhost:${service}/`,
    `http://localhost:${app}/`,
  ])
    must((await statusOf(url)) === 200, `port ${new URL(url).port} answers ${new URL(url).pathname}`);
  child.kill('SIGTERM');
  must((await ended) === 0, 'the demonstration ends with 0');
}

const missing = ['buildah', 'debootstrap', 'unshare', 'setpriv', 'openssl'].filter((one) => !isThere(one));
if (process.getuid?.() !== 0 || missing.length > 0) {
  console.log(
    `NOT RUN: npm run test:image needs root, and ${missing.length === 0 ? 'this is another user' : `lacks ${missing.join(', ')}`}.`,
  );
  process.exit(NOT_RUN);
}
try {
  if (spawnSync('buildah', ['inspect', '--type', 'image', BASE]).status !== 0) makeBase();
  const args = [...companyAuthorities(), '--build-arg', `REVISION=${run('git', 'rev-parse', 'HEAD')}`];
  await tryGateway(build('gateway', args));
  await tryDemo(build('demo', args));
  console.log('both images run');
} finally {
  for (const one of undo.reverse()) one();
  rmSync(folder, { recursive: true, force: true });
}
