import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAskOwnGateway } from '../../sandbox/demo/ask-own-gateway.ts';
import { eventually } from '../support/eventually.ts';
import { runProcess, type Running } from '../support/run-process.ts';

const file = (name: string): string => new URL(`../support/tls/${name}`, import.meta.url).pathname;

let folder: string;
let running: Running | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-demo-tls-'));
});
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  rmSync(folder, { recursive: true, force: true });
});

type Told = { readonly gateway: string; readonly ehr: string; readonly app: string };
const PORTS = ['--port', '0', '--ehr-port', '0', '--service-port', '0', '--app-port', '0'];

// The first is for localhost, the second for another name; this machine trusts the authority of neither.
test.each(['server', 'other'])(
  'a demonstration with a certificate (%s) runs over https, and its people reach their charts',
  async (name) => {
    running = runProcess(['demo', '--data', join(folder, 'data'), ...PORTS, '--users', '2', '--days', '1', '--json'], {
      CHARTGATE_TLS_CERT_FILE: file(`${name}.pem`),
      CHARTGATE_TLS_KEY_FILE: file(`${name}.key.pem`),
    });
    const told = JSON.parse(await running.saw('gateway')) as Told;
    const ask = makeAskOwnGateway(readFileSync(file(`${name}.pem`), 'utf8'));
    const ready = await ask(`${told.gateway}/readyz`);
    const stranger = makeAskOwnGateway(readFileSync(file('expired.pem'), 'utf8'));
    await expect(stranger(`${told.gateway}/readyz`)).rejects.toThrow();
    const { issuer } = (await (await ask(`${told.gateway}/fhir/.well-known/smart-configuration`)).json()) as {
      issuer: string;
    };
    const settings = (await (await fetch(`${told.app}/settings.json`)).json()) as { fhirUrl: string };
    expect([told.gateway.split(':')[0], ready.status, issuer, settings.fhirUrl]).toEqual([
      'https',
      200,
      `${told.gateway}/auth`,
      `${told.gateway}/fhir`,
    ]);
    const written = await eventually(
      async () =>
        (await (await fetch(`${told.ehr}/Observation?patient=demo-patient-2&_summary=count`)).json()) as {
          total: number;
        },
      ({ total }) => total > 0,
      60_000,
    );
    expect(written.total).toBeGreaterThan(0);
    running.signal('SIGINT');
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
  },
  120_000,
);
