/*
 * `npm run test:fuzz`: schemathesis against openapi/openapi.json. Starts a gateway of its own with a demo EHR and a
 * sandbox of the source, as the operator and as an app, and ends with 0 where no answer contradicts the description.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { systemClock } from '../src/kernel/index.ts';
import { DEMO_ADD_ONS, startEhr, startService } from '../sandbox/index.ts';
import { portOf, runProcess, serveSettings } from '../test/support/run-process.ts';

const HELP = `Usage: npm run test:fuzz -- [--seconds N] [--seed N] [OPTIONS OF schemathesis run…]

Sends what openapi/openapi.json allows, and what it does not, to a gateway of its own. Needs schemathesis: on the
PATH, or where SCHEMATHESIS says, or python3 with venv and pip, by which version 4 is installed into a temporary
folder. Takes about N seconds for each of its two runs (60): the operator's routes with the operator's token, and the
read API with an app's.
`;
const VERSION = 'schemathesis>=4.32,<5';
const TOKEN = 'operator-'.repeat(5);
/** Links and patients whom the fuzzer may meet. */
const PATIENTS = 3;

/** The read API has a run of its own, and webhooks are taken whatever they hold. */
const LEFT_OUT = '^/(fhir|webhooks)/';

function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () => resolve(127));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** The command, and where it was installed for this run. */
async function findSchemathesis(folder: string): Promise<string> {
  const named = process.env['SCHEMATHESIS'] ?? 'schemathesis';
  if ((await run(named, ['--version'])) === 0) return named;
  const venv = join(folder, 'venv');
  const isMade =
    (await run('python3', ['-m', 'venv', venv])) === 0 &&
    (await run(join(venv, 'bin/pip'), ['install', '--quiet', VERSION])) === 0;
  if (!isMade) throw new Error('schemathesis is not here, and could not be installed: see npm run test:fuzz -- --help');
  return join(venv, 'bin/schemathesis');
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

async function admin(url: string, method: string, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`${url}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
}

/** A token of a backend app that may read all that is served. */
async function tokenOfApp(url: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES384');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384' }];
  const scope = 'system/*.rs system/AuditEvent.rs';
  await admin(url, 'POST', 'clients', { id: 'fuzzer', name: 'Fuzzer', kind: 'backend', scope, jwks: { keys } });
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES384', kid: 'k1', typ: 'JWT' })
    .setIssuer('fuzzer')
    .setSubject('fuzzer')
    .setAudience(`${url}/auth/token`)
    .setExpirationTime('4m')
    .sign(privateKey);
  const answer = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`no token for the app: ${answer.status}`);
  return token;
}

async function main(): Promise<number> {
  const given = process.argv.slice(2);
  if (given.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const take = (name: string, standard: string): string => {
    const at = given.indexOf(name);
    return at < 0 ? standard : (given.splice(at, 2)[1] ?? standard);
  };
  const [seconds, seed] = [take('--seconds', '60'), take('--seed', '1')];
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-fuzz-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  const service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
  const { secretKey, password, lab } = service.putClient({
    uuid: 'client-1',
    name: 'First Clinic',
    addOns: DEMO_ADD_ONS,
  });
  const gateway = runProcess(['serve'], {
    ...serveSettings(`sqlite:${join(folder, 'fuzz.db')}?filesystem=any`),
    CHARTGATE_PORT: String(port),
    CHARTGATE_PUBLIC_URL: url,
    CHARTGATE_ADMIN_TOKEN: TOKEN,
    CHARTGATE_EHR_URL: ehr.url,
    CHARTGATE_CLIENT_UUID: 'client-1',
    CHARTGATE_SOURCE_URL: service.url,
    CHARTGATE_SOURCE_LAB_URL: service.labUrl,
    CHARTGATE_SOURCE_SECRET_KEY: secretKey,
    CHARTGATE_SOURCE_PASSWORD: password,
    CHARTGATE_SOURCE_LAB_TOKEN: lab.token,
    CHARTGATE_ENVIRONMENT: 'sandbox',
  });
  try {
    await portOf(gateway);
    for (let n = 1; n <= PATIENTS; n += 1) {
      ehr.put({ resourceType: 'Patient', id: `p${n}`, identifier: [{ system: 'urn:example:mrn', value: `${n}` }] });
      await admin(url, 'PUT', `links/u${n}`, { mrn: `${n}` });
    }
    const command = await findSchemathesis(folder);
    const fuzz = (token: string, ...which: readonly string[]): Promise<number> =>
      run(command, [
        '--config-file',
        'tools/schemathesis.toml',
        'run',
        'openapi/openapi.json',
        '--url',
        url,
        '--header',
        `Authorization: Bearer ${token}`,
        '--max-time',
        seconds,
        '--seed',
        seed,
        '--request-timeout',
        '20',
        '--continue-on-failure',
        ...which,
        ...given,
      ]);
    const asOperator = await fuzz(TOKEN, '--exclude-path-regex', LEFT_OUT);
    const asApp = await fuzz(await tokenOfApp(url), '--include-path-regex', '^/fhir/');
    return asOperator === 0 && asApp === 0 ? 0 : 1;
  } finally {
    gateway.signal('SIGTERM');
    await gateway.ended;
    await service.stop();
    await ehr.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
