import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, findProgram, readYaml, runProgram, testWith } from '../support/deploy-files.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, makePostgresServer, type PostgresServer } from '../support/postgres-server.ts';
import { portOf, runProcess, type Running } from '../support/run-process.ts';
import { read } from '../support/source-files.ts';

/*
 * deploy/compose.yaml without Docker: its settings, secrets, proxy configuration and the socket of PostgreSQL, with the
 * paths, addresses and ports of this machine.
 */

const nginx = findProgram('nginx', 'TEST_NGINX');
const withNginx = testWith(nginx, 'the proxy in front of two gateways: nginx is not installed (Debian: nginx-light).');
const TLS = new URL('../support/tls/', import.meta.url).pathname;
const NOBODY = 65_534;
/** Four starts of a process, on a machine that others use too. */
jest.setTimeout(180_000);

interface Answer {
  readonly status: number;
  readonly text: string;
}

let folder: string;
let postgres: PostgresServer;
let ports: { readonly gateways: readonly [number, number]; readonly https: number; readonly http: number };
let stopProxy: () => Promise<void> = () => Promise.resolve();
const running = new Map<number, Running>();
const agent = new Agent({ keepAlive: true, maxSockets: 8, ca: readFileSync(join(TLS, 'ca.pem')) });

const secretOf = (name: string): string => readFileSync(join(folder, 'compose/secrets', name), 'utf8');

/** The environment that Compose would give a gateway, with what is otherwise here. */
function environmentOf(port: number): Record<string, string> {
  const environment = at(readYaml('deploy/compose.yaml'), 'services.gateway-1.environment') as Record<string, string>;
  const example = read('deploy/compose/gateway.env.example')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  const given = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace('/run/secrets/', join(folder, 'compose/secrets/')).replace('/var/lib/chartgate/', `${folder}/`),
    ]),
  );
  return {
    ...Object.fromEntries(example),
    ...given,
    CHARTGATE_HOST: '127.0.0.1',
    CHARTGATE_PORT: String(port),
    CHARTGATE_OPS_PORT: '0',
    CHARTGATE_TRUST_PROXY: '127.0.0.1',
    CHARTGATE_EHR_URL: 'http://127.0.0.1:9/fhir',
    CHARTGATE_DRAIN_SECONDS: '2',
    CHARTGATE_PUBLIC_URL: `https://localhost:${ports.https}`,
  };
}

async function startGateway(port: number): Promise<void> {
  const process = runProcess(['serve'], environmentOf(port));
  running.set(port, process);
  await portOf(process);
}

async function stopGateway(port: number): Promise<number | null> {
  const process = running.get(port);
  running.delete(port);
  process?.signal('SIGTERM');
  return (await process?.ended)?.code ?? null;
}

function ask(
  path: string,
  more: { readonly method?: string; readonly token?: string } = {},
  body?: string,
): Promise<Answer> {
  const headers = {
    ...(more.token === undefined ? {} : { authorization: `Bearer ${more.token}` }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port: ports.https,
        servername: 'localhost',
        path,
        method: more.method ?? 'GET',
        headers,
      },
      (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The configuration of the proxy, with what is otherwise here. */
function writeProxyConfig(): string {
  const [one, two] = ports.gateways;
  const text = read('deploy/compose/nginx.conf')
    .replace('gateway-1:8080', `127.0.0.1:${one}`)
    .replace('gateway-2:8080', `127.0.0.1:${two}`)
    .replace('listen 8443 ssl', `listen 127.0.0.1:${ports.https} ssl`)
    .replace('listen 8080', `listen 127.0.0.1:${ports.http}`)
    .replaceAll(' /tmp/', ` ${folder}/tmp/`)
    .replaceAll('/run/secrets/', join(folder, 'compose/secrets/'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, text);
  return file;
}

async function startProxy(): Promise<void> {
  const args = ['-c', writeProxyConfig(), '-p', folder, '-e', 'stderr'];
  const tested = runProgram(nginx ?? '', [...args, '-t']);
  if (tested.code !== 0) throw new Error(tested.said);
  const child = spawn(nginx ?? '', [...args, '-g', 'daemon off;'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  stopProxy = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await eventually(
    () =>
      ask('/healthz').then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
}

/** As deploy/README.md says it. */
function makeSecrets(): void {
  cpSync('deploy/compose', join(folder, 'compose'), { recursive: true, filter: (path) => !path.endsWith('/secrets') });
  const script = join(folder, 'compose/make-secrets.sh');
  runProgram('sh', [script]);
  for (const [name, file] of Object.entries({ tls_certificate: 'server.pem', tls_key: 'server.key.pem' }))
    cpSync(join(TLS, file), join(folder, 'compose/secrets', name));
  const { code, said } = runProgram('sh', [script]);
  if (code !== 0) throw new Error(said);
}

beforeAll(async () => {
  if (nginx === null) return;
  folder = mkdtempSync(join(tmpdir(), 'chartgate-compose-'));
  chmodSync(folder, 0o755);
  for (const name of ['tmp', 'data', 'socket']) mkdirSync(join(folder, name), { mode: 0o777 });
  ports = { gateways: [await freePort(), await freePort()], https: await freePort(), http: await freePort() };
  makeSecrets();
  postgres = await makePostgresServer();
  if (process.getuid?.() === 0) chownSync(join(folder, 'socket'), NOBODY, NOBODY);
  await postgres.stop();
  await postgres.start(['-c', `unix_socket_directories=${join(folder, 'socket')}`]);
  const url = secretOf('database_url')
    .replace('localhost/chartgate?', `localhost:${postgres.port}/postgres?`)
    .replace('host=/run/postgresql', `host=${join(folder, 'socket')}`);
  chmodSync(join(folder, 'compose/secrets/database_url'), 0o600);
  writeFileSync(join(folder, 'compose/secrets/database_url'), url);
  // Both at once: schema steps are taken in turn.
  await Promise.all(ports.gateways.map(startGateway));
  await startProxy();
});

afterAll(async () => {
  if (nginx === null) return;
  agent.destroy();
  await stopProxy();
  await Promise.all([...running.keys()].map(stopGateway));
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

withNginx('the secrets are for their readers alone, and a second run changes none', () => {
  const before = secretOf('data_key');
  expect(Buffer.from(before, 'base64')).toHaveLength(32);
  runProgram('sh', [join(folder, 'compose/make-secrets.sh')]);
  expect(secretOf('data_key')).toBe(before);
  expect(statSync(join(folder, 'compose/secrets/data_key')).mode & 0o777).toBe(0o400);
});

withNginx('through the proxy the gateway answers over TLS, and what is for watching is not there', async () => {
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  expect((await ask('/readyz')).status).toBe(404);
  expect((await ask('/metrics')).status).toBe(404);
  const metadata = await ask('/fhir/metadata');
  expect(metadata.text).toContain(`https://localhost:${ports.https}/fhir`);
  const plain = await fetch(`http://127.0.0.1:${ports.http}/healthz`, { redirect: 'manual' });
  expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://127.0.0.1/healthz']);
  expect((await fetch(`http://127.0.0.1:${ports.http}/proxy-alive`)).status).toBe(204);
});

withNginx('a rolling restart of both gateways loses no request', async () => {
  const hook = `/webhooks/${secretOf('webhook_secret')}/data`;
  let isOver = false;
  let number = 0;
  const statuses = new Map<string, number>();
  const count = (what: string): unknown => statuses.set(what, (statuses.get(what) ?? 0) + 1);

  async function send(): Promise<void> {
    while (!isOver) {
      number += 1;
      const body = JSON.stringify({ data_structure: 'steps_event', number });
      count(`webhook ${(await ask(hook, { method: 'POST' }, body)).status}`);
    }
  }
  async function look(): Promise<void> {
    while (!isOver) count(`read ${(await ask('/fhir/metadata')).status}`);
  }
  const busy = Promise.all([send(), send(), send(), look(), look()]);
  const restarted: (number | null)[] = [];
  try {
    for (const port of ports.gateways) {
      restarted.push(await stopGateway(port));
      await startGateway(port);
    }
  } finally {
    isOver = true;
    await busy;
  }
  expect(restarted).toEqual([0, 0]);
  expect([...statuses.keys()].sort()).toEqual(['read 200', 'webhook 202']);
  const sent = statuses.get('webhook 202') ?? 0;
  expect(sent).toBe(number);
  // One that was sent to both is known as a duplicate, and not lost.
  const ledger = JSON.parse((await ask('/admin/api/ledger', { token: secretOf('admin_token') })).text) as {
    readonly acknowledged: number;
    readonly byState: Readonly<Record<string, number>>;
  };
  expect(ledger.acknowledged - (ledger.byState['duplicate'] ?? 0)).toBe(sent);
  process.stderr.write(`proxy.test: ${sent} webhooks, ${statuses.get('read 200') ?? 0} reads, none lost\n`);
});
