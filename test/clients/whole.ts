import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/kernel/index.ts';
import { DEMO_MRN_SYSTEM, DEMO_PATIENTS, seedEhr, startEhr, type DemoEhr } from '../../sandbox/index.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace } from '../support/new-store.ts';

const ADMIN = 'admin-token-0123456789abcdef0123456789';
export const CLINICIAN = { username: 'clinician', password: 'correct horse battery staple' };
export const EVERY_SCOPE =
  'launch launch/patient launch/encounter openid fhirUser offline_access online_access patient/*.rs';

/** A port that was free a moment ago: the gateway must know its own address before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface Registered {
  readonly id: string;
  readonly secret: string | null;
}

export interface Whole {
  readonly url: string;
  readonly fhir: string;
  readonly ehr: DemoEhr;
  /** What the command line wants of its environment. */
  readonly env: Readonly<Record<string, string>>;
  admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  register(of: Record<string, unknown>): Promise<Registered>;
  /** The address that an EHR opens for a patient of the demo. */
  launch(clientId: string, patient: string): Promise<{ readonly launch: string; readonly url: string | null }>;
  stop(): Promise<void>;
}

/**
 * The gateway with its own authorization server, in front of the demo EHR, with all of its patients linked and one
 * clinician.
 */
export async function startWhole(more: Record<string, string> = {}): Promise<Whole> {
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  seedEhr(ehr);
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: url,
      CHARTGATE_EHR_URL: ehr.url,
      CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
      CHARTGATE_CLIENT_UUID: 'demo',
      CHARTGATE_ADMIN_TOKEN: ADMIN,
      ...more,
    }),
    clock: systemClock,
    log: collectLog(),
  });
  const admin: Whole['admin'] = async (method, path, body) => {
    const answer = await fetch(`${url}/admin/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
    return said;
  };
  for (const { id, mrn } of DEMO_PATIENTS) await admin('PUT', `links/user-of-${id}`, { mrn });
  await admin('POST', 'accounts', { ...CLINICIAN, name: 'Demo Clinician', fhirUser: 'Practitioner/demo-clinician' });
  // What the EHR can is known after its first probe.
  await eventually(
    async () => (await fetch(`${url}/fhir/metadata`)).status,
    (status) => status === 200,
    10_000,
  );
  return {
    url,
    fhir: `${url}/fhir`,
    ehr,
    env: { CHARTGATE_ADMIN_TOKEN: ADMIN },
    admin,
    register: async (of) => (await admin('POST', 'clients', of)) as unknown as Registered,
    launch: async (clientId, patient) =>
      (await admin('POST', 'launches', { clientId, patient })) as unknown as { launch: string; url: string | null },
    async stop() {
      await gateway.stop();
      await ehr.stop();
      await place.remove();
    },
  };
}
