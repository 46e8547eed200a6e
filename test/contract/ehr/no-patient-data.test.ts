import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { inspect } from 'node:util';
import { guardTarget, makeResolvePatient, type Ehr, type EhrRequest, type Verdict } from '../../../src/ehr/index.ts';
import { faultFields, secret, systemClock } from '../../../src/kernel/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { aFreePort, anEhr, anOddServer, answerJson, type Misbehave } from './support.ts';

const MARKER = 'PATIENT-MARKER';
const REQUESTS: readonly EhrRequest[] = [
  { method: 'GET', path: 'Patient', query: [['identifier', `urn:mrn|${MARKER}`]], requestId: 'r' },
  { method: 'POST', path: 'Patient/_search', form: [['identifier', MARKER]], requestId: 'r' },
  {
    method: 'POST',
    path: 'Observation',
    body: JSON.stringify({ resourceType: 'Observation', note: MARKER }),
    requestId: 'r',
  },
  { method: 'PUT', path: `Observation/${MARKER}`, body: '{}', ifNoneExist: MARKER, requestId: 'r' },
];
const OUTCOME = {
  resourceType: 'OperationOutcome',
  issue: [{ code: MARKER, diagnostics: MARKER, details: { text: MARKER } }],
};

/** Everything that a fault or a log line may show of a verdict. */
function shown(verdict: Verdict): string {
  const log = collectLog();
  const guard = guardTarget({ clock: systemClock, log });
  for (let i = 0; i < 5; i += 1) {
    const entry = guard.tryEnter('read');
    if (entry.kind === 'permit') entry.settle(verdict);
  }
  if (verdict.kind !== 'ok') log.warn('ehr.probe-failed', faultFields(verdict.fault));
  return `${inspect(verdict, { depth: 9 })} ${JSON.stringify(verdict)} ${JSON.stringify(log.lines)}`;
}

async function shownOfAll(ehr: Ehr): Promise<string> {
  const all: string[] = [];
  for (const request of REQUESTS) all.push(shown((await ehr.send(request)).verdict));
  const resolve = makeResolvePatient({
    ehr,
    mode: 'create',
    searchBy: () => 'unknown',
    mayCreate: () => 'conditional',
  });
  all.push(inspect(await resolve({ mrnSystem: 'urn:mrn', mrn: MARKER, requestId: 'r' }), { depth: 9 }));
  return all.join('\n');
}

describe('no verdict, fault or line holds anything of a patient when a server', () => {
  test.each<[string, Misbehave]>([
    ...[400, 401, 403, 404, 409, 410, 412, 422, 429, 500, 503].map((status): [string, Misbehave] => [
      `says ${status}`,
      (_h, res) => answerJson(res, status, OUTCOME, { 'retry-after': MARKER }),
    ]),
    ['points elsewhere', (_h, res) => void res.writeHead(307, { location: `https://evil.example/${MARKER}` }).end()],
    ['answers garbage', (_h, res) => answerJson(res, 200, MARKER)],
    ['answers a page', (_h, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(MARKER)],
    ['answers no HTTP', (_h, _res, socket) => void socket.end(`${MARKER}\r\n\r\n`)],
    ['hangs up', (_h, _res, socket) => void socket.destroy()],
    [
      'answers a stranger',
      (_h, res) =>
        answerJson(res, 200, {
          resourceType: 'Bundle',
          type: 'searchset',
          entry: [{ resource: { resourceType: 'Patient', id: 'x', identifier: [{ value: MARKER }] } }],
        }),
    ],
  ])('%s', async (_what, misbehave) => {
    const server = await anOddServer(misbehave);
    expect(await shownOfAll(anEhr(server.base))).not.toContain(MARKER);
  });

  test('is not there', async () => {
    expect(await shownOfAll(anEhr(`http://localhost:${await aFreePort()}/fhir`))).not.toContain(MARKER);
  });
});

test('no credential is shown either', async () => {
  const server = await anOddServer((_h, res) => answerJson(res, 401, {}));
  const ehr = anEhr(server.base, { auth: { kind: 'bearer', token: secret(MARKER) } });
  expect(`${await shownOfAll(ehr)} ${inspect(ehr, { depth: 9 })}`).not.toContain(MARKER);
});

test('with DEBUG set the library that forms requests prints nothing: no token, no query, no body, no answer', async () => {
  const server = await anOddServer((_h, res) => answerJson(res, 422, OUTCOME, { 'content-type': 'text/html' }));
  const door = new URL('../../../src/ehr/index.ts', import.meta.url).href;
  const kernel = new URL('../../../src/kernel/index.ts', import.meta.url).href;
  const script = `
    import { openEhr, searchResources } from ${JSON.stringify(door)};
    import { secret, systemClock } from ${JSON.stringify(kernel)};
    const auth = { kind: 'bearer', token: secret(${JSON.stringify(MARKER)}) };
    const target = { url: ${JSON.stringify(server.base)}, auth, tls: null };
    const ehr = openEhr({ target, clock: systemClock, chance: () => new Uint8Array(16), newId: () => 'req_1' });
    for (const request of ${JSON.stringify(REQUESTS.slice(0, 3))}) await ehr.send(request);
    const params = [['identifier', ${JSON.stringify(MARKER)}]];
    for (const by of ['post', 'get'])
      await searchResources(ehr, { type: 'Patient', params, by, requestId: 'req_1' });
    await ehr.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, DEBUG: '*' } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (said += part.toString('utf8')));
  await new Promise((resolve) => child.on('close', resolve));
  expect(server.heard).toHaveLength(5);
  expect(said).not.toContain('fhir-kit-client');
  expect(said).not.toContain(MARKER);
});
