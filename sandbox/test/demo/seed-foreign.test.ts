import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { seedForeign } from '../../demo/seed-foreign.ts';
import { secret, systemClock } from '../../../src/kernel/index.ts';
import { DEMO_MRN_SYSTEM, startEhr, type DemoEhr } from '../../index.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { runProcess } from '../../../test/support/run-process.ts';

/* A second demo EHR plays the EHR of somebody else: one that the demonstration did not start and does not own. */

let ehr: DemoEhr;
let folder: string;
beforeEach(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  folder = mkdtempSync(join(tmpdir(), 'chartgate-foreign-'));
});
afterEach(async () => {
  await ehr.stop();
  rmSync(folder, { recursive: true, force: true });
});

const PORTS = ['--port', '0', '--ehr-port', '0', '--service-port', '0', '--app-port', '0'];
const start = (more: readonly string[], env: Record<string, string> = {}) =>
  runProcess(['demo', '--data', join(folder, 'data'), ...PORTS, '--users', '2', '--days', '2', '--json', ...more], {
    CHARTGATE_EHR_URL: ehr.url,
    ...env,
  });
interface Said {
  readonly gateway: string;
  readonly ehr: string;
  readonly data: string;
  readonly patients: number;
  readonly simulation: string;
}
const said = async (running: ReturnType<typeof start>): Promise<Said> =>
  JSON.parse(await running.saw('gateway')) as Said;
const writesOf = (type: string) => ehr.log.writes().filter((write) => write.type === type);
async function stop(running: ReturnType<typeof start>): Promise<string> {
  running.signal('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  return stderr;
}

test('without a word from a person it starts without simulated people, and says what it would do', async () => {
  const running = start([]);
  expect(await said(running)).toMatchObject({ ehr: ehr.url, simulation: 'off', patients: 0 });
  const told = await stop(running);
  expect(told).toMatch(/is not the demonstration's own[^]*add 2 invented patients[^]*--write-to-foreign-ehr/);
  expect(ehr.log.writes()).toEqual([]);
}, 60_000);

test('with the flag the people are registered there once, and their days are written into their charts', async () => {
  for (const n of [1, 2]) {
    const running = start(['--write-to-foreign-ehr']);
    const { data, simulation } = await said(running);
    expect([simulation, data]).toEqual(['on', expect.stringContaining('foreign-')]);
    await eventually(
      () => writesOf('Observation').length,
      (count) => count > 0,
      60_000,
    );
    await stop(running);
    expect([
      n,
      writesOf('Patient')
        .map(({ kind, id }) => `${kind} ${id}`)
        .sort(),
    ]).toEqual([n, ['create chartgate-demo-patient-1', 'create chartgate-demo-patient-2']]);
  }
  const [patient] = writesOf('Patient').map(({ json }) => JSON.parse(json ?? '{}') as Record<string, unknown>);
  expect(patient).toMatchObject({
    meta: { tag: [{ system: 'urn:chartgate:demo', code: 'invented' }] },
    identifier: [{ system: DEMO_MRN_SYSTEM }],
  });
  // Nothing that refers to staff and a hospital which are not there.
  expect(Object.keys(patient ?? {})).not.toContain('managingOrganization');
  const subjects = new Set(
    writesOf('Observation').map(({ json }) =>
      JSON.stringify((JSON.parse(json ?? '{}') as { subject?: unknown }).subject),
    ),
  );
  for (const subject of subjects) expect(subject).toMatch(/Patient\/chartgate-demo-patient-[12]"/);
  expect(readdirSync(join(folder, 'data'))).toHaveLength(1);
}, 180_000);

test('in shadow mode nothing is asked and nothing written, and the report tells what would be', async () => {
  const running = start([], {
    CHARTGATE_MODE: 'shadow',
    CHARTGATE_PATIENT_MODE: 'create',
    CHARTGATE_ADMIN_TOKEN: 't'.repeat(40),
  });
  const { gateway, simulation } = await said(running);
  expect(simulation).toBe('on');
  const report = await eventually(
    async () =>
      (await (
        await fetch(`${gateway}/admin/api/shadow`, { headers: { authorization: `Bearer ${'t'.repeat(40)}` } })
      ).json()) as {
        newPatients: number;
        state: string;
      },
    ({ newPatients }) => newPatients === 2,
    60_000,
  );
  expect(report).toMatchObject({ state: 'shadow', newPatients: 2 });
  expect(await stop(running)).not.toContain('--write-to-foreign-ehr');
  expect(ehr.log.writes()).toEqual([]);
}, 120_000);

test('an EHR that is not there ends it with a sentence', async () => {
  const { code, stderr } = await start(['--write-to-foreign-ehr'], { CHARTGATE_EHR_URL: 'http://127.0.0.1:9/fhir' })
    .ended;
  expect([code, stderr]).toEqual([
    69,
    expect.stringMatching(/No FHIR R4 server could be asked .*127\.0\.0\.1:9.*ehr\.unreachable/),
  ]);
}, 60_000);

const seed = (url = ehr.url, auth: Parameters<typeof seedForeign>[0]['target']['auth'] = { kind: 'none' }, users = 3) =>
  seedForeign({
    target: { url, auth, tls: null },
    users,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });

test('where the EHR gives ids of its own they are created by condition, and only once', async () => {
  ehr.board.setTraits({ noClientIds: true });
  expect(await seed()).toEqual({ added: 3, already: 0 });
  expect(await seed()).toEqual({ added: 0, already: 3 });
  expect(writesOf('Patient').map(({ kind, id }) => [kind, id.startsWith('chartgate')])).toEqual([
    ['create', false],
    ['create', false],
    ['create', false],
  ]);
});

test('without conditions they are looked for first', async () => {
  ehr.board.setTraits({ noClientIds: true, refuseConditional: true });
  expect(await seed()).toEqual({ added: 3, already: 0 });
  expect(await seed()).toEqual({ added: 0, already: 3 });
});

test('a patient of somebody else under the same id is not overwritten', async () => {
  ehr.put({ resourceType: 'Patient', id: 'chartgate-demo-patient-1', name: [{ family: 'Somebody' }] });
  expect(await seed()).toEqual({ added: 3, already: 0 });
  expect(writesOf('Patient').filter(({ id }) => id === 'chartgate-demo-patient-1')).toHaveLength(1);
});

test('an EHR that does not filter by identifier and takes no ids of ours gets nobody', async () => {
  ehr.board.setTraits({ noClientIds: true, ignoreParams: ['identifier'] });
  await expect(seed()).rejects.toThrow(/could not be added|no safe way/);
  expect(ehr.log.writes()).toEqual([]);
});

test('they are registered with the credentials of the gateway', async () => {
  const expected = `Basic ${Buffer.from('gate:secret-word').toString('base64')}`;
  const front: Server = createServer((req, res) => {
    if (req.headers.authorization !== expected) {
      res.writeHead(401).end();
      return;
    }
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      void fetch(`http://127.0.0.1:${ehr.port}${req.url ?? ''}`, {
        method: req.method ?? 'GET',
        headers: Object.fromEntries(
          ['content-type', 'accept', 'if-none-exist', 'prefer'].flatMap((name) =>
            typeof req.headers[name] === 'string' ? [[name, req.headers[name]]] : [],
          ),
        ),
        ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      }).then(async (answer) => {
        res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/fhir+json' });
        res.end(Buffer.from(await answer.arrayBuffer()));
      });
    });
  });
  const port = await new Promise<number>((resolve) =>
    front.listen(0, '127.0.0.1', () => resolve((front.address() as AddressInfo).port)),
  );
  const url = `http://127.0.0.1:${port}/fhir`;
  try {
    await expect(seed(url)).rejects.toThrow('ehr.unauthorized');
    expect(await seed(url, { kind: 'basic', username: 'gate', password: secret('secret-word') }, 1)).toEqual({
      added: 1,
      already: 0,
    });
  } finally {
    front.closeAllConnections();
    front.close();
  }
});
