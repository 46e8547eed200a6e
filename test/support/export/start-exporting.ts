import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { DEMO_MRN_SYSTEM, startEhr, type DemoEhr } from '../../../sandbox/ehr/index.ts';
import { startGateway, type Gateway } from '../../../src/gateway/index.ts';
import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { collectLog } from '../collect-log.ts';
import { eventually } from '../eventually.ts';
import { configOf } from '../gateway.ts';
import type { Place } from '../new-store.ts';

export const ADMIN_TOKEN = 'operator-'.repeat(5);
const SOURCE_CLIENT = 'export-client';

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Manifest {
  readonly transactionTime: string;
  readonly request: string;
  readonly requiresAccessToken: boolean;
  readonly output: readonly { readonly type: string; readonly url: string; readonly count: number }[];
  readonly deleted: readonly unknown[];
  readonly error: readonly { readonly type: string; readonly url: string; readonly count: number }[];
}

export interface Backend {
  readonly id: string;
  /** A token for these scopes; the registered ones without. */
  token(scope?: string): Promise<string>;
}

export const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

export const placeUrl = (place: Place): string =>
  place.database.engine === 'sqlite' ? `sqlite:${place.database.file}?filesystem=any` : place.database.url.reveal();

/** Settings of a gateway in front of this EHR. */
export const exportSettings = (ehrUrl: string, port: number): Record<string, string> => ({
  CHARTGATE_PORT: String(port),
  CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
  CHARTGATE_ADMIN_TOKEN: ADMIN_TOKEN,
  CHARTGATE_CLIENT_UUID: SOURCE_CLIENT,
  CHARTGATE_EHR_URL: ehrUrl,
  CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
  CHARTGATE_DRAIN_SECONDS: '0',
});

/** What a test asks of a gateway, wherever it runs. */
export function makeAsker(base: string) {
  async function ask(path: string, init: RequestInit = {}): Promise<Told> {
    const answer = await fetch(path.startsWith('http') ? path : `${base}${path}`, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  const admin = (method: string, path: string, body?: unknown): Promise<Told> =>
    ask(`/admin/api${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  async function must(told: Promise<Told>, status: number): Promise<unknown> {
    const { status: was, text } = await told;
    if (was !== status) throw new Error(`${was}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  const app = (token: string, path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    ask(path, { ...init, headers: { authorization: `Bearer ${token}`, accept: 'application/fhir+json', ...headers } });

  return {
    base,
    ask,
    admin,
    app,
    link: (mrn: string, user = `user-${mrn}`) =>
      must(admin('PUT', `/links/${user}`, { mrn, client_uuid: SOURCE_CLIENT }), 200),
    unlink: (mrn: string, user = `user-${mrn}`) =>
      must(admin('DELETE', `/links/${user}?client_uuid=${SOURCE_CLIENT}`), 200),

    async backend(scope = 'system/*.rs'): Promise<Backend> {
      const { privateKey, publicKey } = await generateKeyPair('ES384', { extractable: true });
      const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig' };
      const registration = { name: `Backend ${randomUUID()}`, kind: 'backend', scope, jwks: { keys: [jwk] } };
      const { id } = (await must(admin('POST', '/clients', registration), 201)) as { id: string };
      return {
        id,
        async token(asked = scope) {
          const now = Math.floor(Date.now() / 1000);
          const assertion = await new SignJWT({ iss: id, sub: id, aud: `${base}/auth/token`, exp: now + 200 })
            .setProtectedHeader({ alg: 'ES384', kid: 'k1', typ: 'JWT' })
            .setJti(randomUUID())
            .sign(privateKey);
          const body = new URLSearchParams({
            grant_type: 'client_credentials',
            scope: asked,
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: assertion,
          });
          const given = (await must(ask('/auth/token', { method: 'POST', body }), 200)) as { access_token: string };
          return given.access_token;
        },
      };
    },

    kickOff: (token: string, path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
      app(token, path, { prefer: 'respond-async', ...headers }, init),

    async start(token: string, path: string, init: RequestInit = {}, headers: Record<string, string> = {}) {
      const begun = await app(token, path, { prefer: 'respond-async', ...headers }, init);
      const at = begun.headers.get('content-location');
      if (begun.status !== 202 || at === null) throw new Error(`${begun.status}: ${begun.text}`);
      return at;
    },

    async finished(token: string, at: string, patienceMs = 15_000): Promise<Manifest> {
      const told = await eventually(
        () => app(token, at, { accept: 'application/json' }),
        ({ status }) => status !== 202,
        patienceMs,
      );
      if (told.status !== 200) throw new Error(`${told.status}: ${told.text}`);
      return JSON.parse(told.text) as Manifest;
    },

    /** Every line of every file, by type. */
    async lines(token: string, manifest: Manifest): Promise<Readonly<Record<string, readonly { id: string }[]>>> {
      const all: Record<string, { id: string }[]> = {};
      for (const { type, url, count } of [...manifest.output, ...manifest.error]) {
        const file = await app(token, url, { accept: 'application/fhir+ndjson' });
        if (file.status !== 200) throw new Error(`${file.status}: ${file.text}`);
        const rows = file.text.split('\n').slice(0, -1);
        if (rows.length !== count) throw new Error(`${type}: ${rows.length} lines, ${count} in the manifest`);
        (all[type] ??= []).push(...rows.map((row) => JSON.parse(row) as { id: string }));
      }
      return all;
    },
  };
}
export type Asker = ReturnType<typeof makeAsker>;

export interface Exporting extends Asker {
  readonly ehr: DemoEhr;
  readonly gateway: Gateway;
  /** Ends the gateway and starts another on the same database and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A gateway in front of the demo EHR, with clients that act for themselves. */
export async function startExporting(
  place: Place,
  more: { readonly settings?: Record<string, string>; readonly clock?: Clock; readonly ehr?: DemoEhr } = {},
): Promise<Exporting> {
  const ehr = more.ehr ?? (await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock }));
  const port = await freePort();
  const config = configOf(placeUrl(place), { ...exportSettings(ehr.url, port), ...more.settings });
  const start = (): Promise<Gateway> => startGateway({ config, clock: more.clock ?? systemClock, log: collectLog() });
  let gateway = await start();
  return {
    ...makeAsker(`http://127.0.0.1:${port}`),
    ehr,
    get gateway() {
      return gateway;
    },
    async restart() {
      await gateway.stop();
      gateway = await start();
    },
    async stop() {
      await gateway.stop();
      if (more.ehr === undefined) await ehr.stop();
    },
  };
}
