import { afterEach, beforeEach } from '@jest/globals';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startService, type AddOnName, type Client, type DemoService } from '../../index.ts';
import { testClock } from '../../../test/support/clock.ts';
import { stopAfterTest } from '../../../test/support/stop-after-test.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export const basic = (name: string, word: string): string =>
  `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;

/** Over a plain socket: nothing is added, corrected or followed. */
export async function raw(
  url: string,
  method: string,
  path: string,
  { headers = {}, body }: Ask = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const req = httpRequest({ hostname, port, method, path, headers: { ...headers, connection: 'close' } });
  req.end(body);
  const [res] = (await once(req, 'response')) as [
    NodeJS.ReadableStream & { statusCode: number; headers: Answer['headers'] },
  ];
  const parts: Buffer[] = [];
  for await (const part of res as AsyncIterable<Buffer>) parts.push(part);
  const text = Buffer.concat(parts).toString('utf8');
  let parsed: unknown = {};
  try {
    parsed = JSON.parse(text);
  } catch {
    // A page, or nothing.
  }
  return { status: res.statusCode, headers: res.headers, text, body: parsed as Answer['body'] };
}

const BOUNDARY = 'x-a-boundary-of-a-test-x';

export type Part = { readonly name: string; readonly value: string | Buffer; readonly fileName?: string };

export function multipart(...parts: readonly Part[]): Required<Ask> {
  const body = Buffer.concat([
    ...parts.flatMap(({ name, value, fileName }) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`}\r\n\r\n`,
      ),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': String(body.length) },
    body,
  };
}

export const PDF = Buffer.from('%PDF-1.4\nan invented report\n%%EOF\n');
export const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
export const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);

export const USER = 'user-1';
export const authorizerPath = (user = USER, source = 'RingWearable', query = ''): string =>
  `/api/v1/user_id/${encodeURIComponent(user)}/data_source/${source}/authorizer${query}`;
export const revokePath = (user = USER): string =>
  `/api/v1/user_id/${encodeURIComponent(user)}/data_sources/revoke_auth`;
export const PROFILE = '/api/v2/user_profile';
export const RULES = '/api/v2/health_monitoring/rules';
export const BINDING = '/api/v1/extraction_app/binding/';

/** A sandbox of its own for each test, with one client, on a clock that stands. */
export function freshService(more: { readonly retryWaitsMs?: readonly number[] } = {}) {
  let service: DemoService;
  let clock: ReturnType<typeof testClock>;
  beforeEach(async () => {
    clock = testClock();
    service = await startService({ host: '127.0.0.1', port: 0, clock, ...more });
    service.putClient({ uuid: 'client-1', name: 'First Clinic' });
  });
  afterEach(() => service.stop());

  const client = (uuid = 'client-1'): Client => {
    const found = service.state.clients.get(uuid);
    if (found === undefined) throw new Error('no such client');
    return found;
  };
  const ask = (method: string, path: string, more: Ask = {}) => raw(service.url, method, path, more);
  const signed = (by: 'secretKey' | 'password', uuid = 'client-1'): Record<string, string> => ({
    authorization: basic(uuid, client(uuid)[by]),
  });
  const json = { 'content-type': 'application/json' };
  const form = (
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ) =>
    ask('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  async function begin(source = 'RingWearable', user = USER, uuid = 'client-1', query = ''): Promise<URL> {
    const { body } = await ask('GET', authorizerPath(user, source, query), { headers: signed('secretKey', uuid) });
    return new URL(String(body['authorization_url']));
  }

  return {
    ask,
    form,
    client,
    signed,
    begin,
    service: () => service,
    clock: () => clock,
    activate: (...names: AddOnName[]) => {
      service.putClient({
        ...client(),
        addOns: { ...client().addOns, ...Object.fromEntries(names.map((name) => [name, true])) },
      });
    },
    authorizer: (user = USER, source = 'RingWearable', uuid = 'client-1') =>
      ask('GET', authorizerPath(user, source), { headers: signed('secretKey', uuid) }),
    profile: (body: unknown = { user_id: USER }, headers: Record<string, string> = signed('password')) =>
      ask('POST', PROFILE, {
        headers: { ...headers, ...json },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    rules: (method: 'GET' | 'PUT', query = '', body?: unknown) =>
      ask(method, `${RULES}${query}`, {
        headers: { ...signed('password'), ...json },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    bind: (body: unknown, headers: Record<string, string> = {}) =>
      ask('POST', BINDING, {
        headers: { ...signed('secretKey'), ...json, 'user-agent': 'a-test', ...headers },
        body: JSON.stringify(body),
      }),
    lab: (
      parts: readonly Part[] | Ask,
      headers: Record<string, string> = { authorization: `Bearer ${client().lab.token}` },
      user = USER,
    ) => {
      const made = Array.isArray(parts) ? multipart(...(parts as Part[])) : (parts as Ask);
      return ask('POST', `/lab/client_uuid/client-1/user_id/${encodeURIComponent(user)}`, {
        ...made,
        headers: { ...made.headers, ...headers },
      });
    },
    /** As a person does it: opens the address, allows. */
    async grant(source = 'RingWearable', user = USER, uuid = 'client-1', account = 'an-account', query = '') {
      const url = await begin(source, user, uuid, query);
      return form(url.pathname, { state: url.searchParams.get('state') ?? '', account, decision: 'grant' });
    },
  };
}

export const labParts = (file: Buffer = PDF, timezone = '-05:00'): readonly Part[] => [
  { name: 'file', value: file, fileName: 'report.pdf' },
  { name: 'timezone', value: timezone },
];

/**
 * A webhook of a client, closed after the test: keeps what comes. The answers are `status`, or what is left of `first`;
 * 0 gives none.
 */
export async function listenForHooks(status = 202, first: number[] = []) {
  const got: Record<string, unknown>[] = [];
  const heads: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  let concurrency = 0;
  let concurrencyMax = 0;
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    concurrency += 1;
    concurrencyMax = Math.max(concurrencyMax, concurrency);
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = Buffer.concat(parts).toString();
      got.push(JSON.parse(body) as Record<string, unknown>);
      bodies.push(body);
      heads.push(req.headers);
      const answer = first.shift() ?? status;
      setImmediate(() => {
        concurrency -= 1;
        if (answer === 0) res.destroy();
        else res.writeHead(answer).end();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  stopAfterTest(close);
  return {
    got,
    heads,
    bodies,
    concurrencyMax: () => concurrencyMax,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close,
  };
}

export const signedFor = (client: Client, by: 'secretKey' | 'password'): Record<string, string> => ({
  authorization: basic(client.uuid, client[by]),
});
