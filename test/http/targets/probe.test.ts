import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aStepsEvent } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let ehr: Server;
let version = '1';
let status = 200;
let hooks: HookGateway;

const statement = () => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  kind: 'instance',
  fhirVersion: '4.0.1',
  software: { name: 'Test EHR', version },
  rest: [
    { mode: 'server', resource: [{ type: 'Observation', interaction: [{ code: 'read' }, { code: 'search-type' }] }] },
  ],
});

beforeAll(async () => {
  ehr = createServer((_req, res) => {
    res.writeHead(status, { 'content-type': 'application/fhir+json' });
    res.end(JSON.stringify(statement()));
  });
  await new Promise<void>((resolve) => ehr.listen(0, '127.0.0.1', resolve));
  hooks = await startHookGateway({
    CHARTGATE_EHR_URL: `http://127.0.0.1:${(ehr.address() as AddressInfo).port}/fhir`,
  });
});
afterAll(async () => {
  await hooks.stop();
  await new Promise((resolve) => {
    ehr.close(resolve);
    ehr.closeAllConnections();
  });
});

const run = (...args: string[]) =>
  runCommand(['targets', ...args], {
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` },
  });
const probe = async () => (await hooks.admin('post', 'targets/ehr/probe')).body as Record<string, unknown>;

test('a probe is made now, says what it found, and stands in the history with what has changed', async () => {
  expect(await probe()).toMatchObject({ by: 'operator', outcome: 'ok', faultCode: null });
  version = '2';
  expect(await probe()).toMatchObject({
    outcome: 'ok',
    changes: [{ what: 'software', from: 'Test EHR 1', to: 'Test EHR 2' }],
  });
  status = 500;
  expect(await probe()).toMatchObject({ outcome: 'failed', faultCode: expect.stringMatching(/^ehr\./), changes: [] });
  status = 200;
  const { probes, next } = (await hooks.admin('get', 'targets/ehr/probes?limit=2')).body as {
    probes: { outcome: string }[];
    next: string;
  };
  expect(probes.map(({ outcome }) => outcome)).toEqual(['failed', 'ok']);
  const rest = (await hooks.admin('get', `targets/ehr/probes?cursor=${next}`)).body as { probes: unknown[] };
  expect(rest.probes.length).toBeGreaterThan(0);
});

test('what is not there is not found, and a cursor of another list is refused', async () => {
  for (const [method, path] of [
    ['post', 'targets/other/probe'],
    ['get', 'targets/other/probes'],
    ['get', 'targets/other/lanes'],
  ] as const)
    expect((await hooks.admin(method, path)).status).toBe(404);
  expect((await hooks.admin('get', 'targets/ehr/probes?cursor=dzE')).status).toBe(400);
  expect((await hooks.admin('get', 'targets/ehr/lanes?cursor=x')).status).toBe(400);
});

test('whoever waits is listed with the reason, and recorded as seen', async () => {
  await hooks.admin('post', 'targets/ehr/pause');
  await hooks.put('links/waits', { mrn: '0077' });
  const { id } = await hooks.deliver(aStepsEvent({ userId: 'waits' }));
  const { waiting, lanes } = (await hooks.admin('get', 'targets/ehr/lanes')).body as {
    waiting: unknown;
    lanes: Record<string, unknown>[];
  };
  expect(waiting).toMatchObject({ lanes: 1, jobs: 1 });
  expect(lanes).toMatchObject([{ mrn: '0077', deliveryId: id, why: 'paused', kind: 'deliver', jobs: 1 }]);
  const { records } = (await hooks.admin('get', 'audit?patient=0077&type=admin')).body as {
    records: { why: string }[];
  };
  expect(records.map(({ why }) => why)).toContain('target lanes');
});

test('the command line shows, stops, goes on and probes', async () => {
  expect(await run('list')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ehr {2}paused .*1 wait in 1 lanes/),
  });
  expect((await run('show')).out).toMatch(/paused +since .* by operator/);
  expect((await run('lanes')).out).toMatch(/^1 wait in 1 lanes\n.* paused .* 0077\n$/);
  expect(JSON.parse((await run('lanes', '--json')).out)).toMatchObject({ next: null });
  version = '3';
  expect(await run('probe')).toMatchObject({
    code: 0,
    out: expect.stringContaining('software: Test EHR 2 -> Test EHR 3'),
  });
  status = 500;
  expect((await run('probe')).code).toBe(1);
  status = 200;
  expect((await run('probes', '--limit', '1')).out).toMatch(/failed ehr\.\S+ {2}by operator\nmore: --cursor \S+\n$/);
  expect(await run('resume')).toMatchObject({ code: 0, out: 'running\n' });
  expect(await run('pause')).toMatchObject({ code: 0, out: 'paused\n' });
  expect(await run('list', '--limit', '1')).toMatchObject({ code: 2, err: expect.stringContaining('--limit') });
  expect(await run('stop')).toMatchObject({ code: 2 });
});
