import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../support/eventually.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

/** An EHR that lets everybody wait until it is told to speak. */
let silent: Server;
let speak: () => void;
const spoken = new Promise<void>((resolve) => (speak = resolve));
let hooks: HookGateway;
let named: HookGateway;

const STATEMENT = {
  resourceType: 'CapabilityStatement',
  status: 'active',
  kind: 'instance',
  fhirVersion: '4.0.1',
  software: { name: 'HAPI FHIR Server', version: '8' },
  rest: [
    { mode: 'server', resource: [{ type: 'Observation', interaction: [{ code: 'read' }, { code: 'search-type' }] }] },
  ],
};

beforeAll(async () => {
  silent = createServer((_req, res) => {
    void spoken.then(() => {
      res.writeHead(200, { 'content-type': 'application/fhir+json' });
      res.end(JSON.stringify(STATEMENT));
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const ehr = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/fhir`;
  [hooks, named] = await Promise.all([
    startHookGateway({ CHARTGATE_EHR_URL: ehr, CHARTGATE_DIALECT: 'auto' }),
    startHookGateway({ CHARTGATE_EHR_URL: ehr, CHARTGATE_DIALECT: 'azure' }),
  ]);
});
afterAll(async () => {
  await Promise.all([hooks.stop(), named.stop()]);
  await new Promise((resolve) => {
    silent.close(resolve);
    silent.closeAllConnections();
  });
});

interface Target {
  readonly probedAt: string | null;
  readonly probeFault: string | null;
  readonly dialect: unknown;
  readonly plan: unknown;
}
const target = async (of: HookGateway): Promise<Target | undefined> =>
  ((await of.admin('get', 'targets')).body as { targets: Target[] }).targets[0];
const metadata = async (of: HookGateway) =>
  (await (await fetch(`http://127.0.0.1:${of.port}/fhir/metadata`)).json()) as {
    rest: { documentation?: string; resource: { type: string }[] }[];
  };

test('nothing is said of an EHR that has not said what it is, and what it says is told once it has', async () => {
  expect(await target(hooks)).toMatchObject({
    probedAt: null,
    probeFault: null,
    dialect: { name: null, because: 'not-asked-yet' },
    plan: null,
  });
  // What a person has named is known without asking.
  expect(await target(named)).toMatchObject({ dialect: { name: 'azure', because: 'setting' }, plan: null });

  const { id } = await hooks.deliver(aClinicalReady({ userId: 'early', bundleId: 'early' }));
  const explained = async () =>
    (await hooks.admin('get', `deliveries/${id}/explain`)).body as { dialect: string; dialectBecause: string };
  expect(await explained()).toMatchObject({ dialect: 'default', dialectBecause: 'not-asked-yet' });

  const early = (await metadata(hooks)).rest[0];
  expect(early?.documentation).toMatch(/not been asked yet/);
  expect(early?.resource.map(({ type }) => type)).toContain('Condition');
  expect(hooks.log.lines.filter(({ event }) => event === 'ehr.dialect-chosen')).toEqual([]);

  speak();
  expect(
    await eventually(
      () => target(hooks),
      (one) => one?.probedAt !== null,
    ),
  ).toMatchObject({ probeFault: null, dialect: { name: 'hapi', because: 'recognised' }, plan: { dialect: 'hapi' } });
  expect(await explained()).toMatchObject({ dialect: 'hapi', dialectBecause: 'recognised' });
  const known = (await metadata(hooks)).rest[0];
  expect(known?.documentation).not.toContain('has not been asked yet');
  expect(known?.resource.map(({ type }) => type)).toEqual(['Observation', 'AuditEvent', 'Group', 'Subscription']);
});
