import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { StartError, systemClock } from '../../src/kernel/index.ts';
import { nameOfHost } from '../name-of-host.ts';
import { makeTellPages } from './tell-pages.ts';
import { readVendor } from './vendor.ts';

export const CLINICIAN_APP_ID = 'clinician-app';
/** What the app asks for besides the launch: one patient, read and search, as long as somebody sits in front of it. */
export const CLINICIAN_APP_SCOPES = [
  'openid',
  'fhirUser',
  'online_access',
  'patient/Patient.rs',
  'patient/Observation.rs',
  'patient/Device.rs',
  'patient/Provenance.rs',
  'patient/Organization.rs',
  'patient/Practitioner.rs',
  'patient/Subscription.cruds',
] as const;

export interface ClinicianApp {
  readonly url: string;
  readonly redirectUri: string;
  readonly launchUrl: string;
  stop(): Promise<void>;
}

const WEB = join(import.meta.dirname, 'web');
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
};
const PAGES = ['index.html', 'launch.html', 'style.css', 'icon.svg'] as const;
const SCRIPT = /^([a-z][a-z-]*)\.(?:js|ts)$/;

/** Nothing but the app's own files runs or is loaded, and it talks to the gateway alone. */
const headersFor = (gatewayUrl: string): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(gatewayUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});

/** A script of the app: as it was built, or as it was written, without its types. */
async function readScript(name: string): Promise<string | null> {
  const built = await readFile(join(WEB, `${name}.js`), 'utf8').catch(() => null);
  if (built !== null) return built;
  const written = await readFile(join(WEB, `${name}.ts`), 'utf8').catch(() => null);
  return written === null ? null : stripTypeScriptTypes(written);
}

async function readFileAt(path: string, settings: () => string): Promise<{ type: string; body: string } | null> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? TYPES['js'] ?? '';
  if (name === 'settings.json') return { type, body: settings() };
  if ((PAGES as readonly string[]).includes(name)) return { type, body: await readFile(join(WEB, name), 'utf8') };
  const vendor = name.startsWith('vendor/') ? await readVendor(name.slice(7)) : null;
  if (vendor !== null) return { type, body: vendor };
  const script = SCRIPT.exec(name)?.[1];
  const body = script === undefined ? null : await readScript(script);
  return body === null ? null : { type, body };
}

/**
 * The sample app of a clinician: static files on an origin of their own, and an address for notifications. It signs in
 * at `gatewayUrl` and reads from there.
 */
export async function startClinicianApp(deps: {
  readonly host: string;
  readonly port: number;
  /** The gateway's public address; its FHIR base is `/fhir` below it. */
  readonly gatewayUrl: string;
  /** The time of the people in the charts: in the demonstration a simulated one. */
  readonly now: () => Date;
}): Promise<ClinicianApp> {
  const headers = headersFor(deps.gatewayUrl);
  const settings = (): string =>
    JSON.stringify({
      fhirUrl: `${deps.gatewayUrl.replace(/\/$/, '')}/fhir`,
      clientId: CLINICIAN_APP_ID,
      scope: CLINICIAN_APP_SCOPES.join(' '),
      now: deps.now().toISOString(),
    });

  async function answer(method: string, target: string, res: ServerResponse): Promise<void> {
    const found =
      method === 'GET' || method === 'HEAD' ? await readFileAt(new URL(target, 'http://app').pathname, settings) : null;
    if (found === null) res.writeHead(404, { ...headers, 'content-type': 'text/plain' }).end('There is nothing here');
    else res.writeHead(200, { ...headers, 'content-type': found.type }).end(method === 'HEAD' ? '' : found.body);
  }
  const told = makeTellPages({ nowMs: () => systemClock.now().getTime() });
  const server = createServer((req, res) => {
    const answered = async (): Promise<void> => {
      if (!(await told.answer(req, res, headers))) await answer(req.method ?? 'GET', req.url ?? '/', res);
    };
    answered().catch(() => {
      if (res.headersSent) res.destroy();
      else res.writeHead(400, headers).end();
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (thrown) =>
      reject(
        new StartError(
          'app.listen',
          `The clinician app cannot listen on ${deps.host}:${deps.port}. Stop what listens there, or choose another port.`,
          thrown,
        ),
      ),
    );
    server.listen(deps.port, deps.host, () => {
      const address = server.address();
      resolve(address !== null && typeof address !== 'string' ? address.port : deps.port);
    });
  });
  const url = `http://${nameOfHost(deps.host)}:${port}`;
  return {
    url,
    redirectUri: `${url}/index.html`,
    launchUrl: `${url}/launch.html`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
