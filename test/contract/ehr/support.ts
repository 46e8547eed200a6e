import { afterEach } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { openEhr, type Ehr, type EhrLimits, type EhrTarget, type Verdict } from '../../../src/ehr/index.ts';
import { makeNewId, systemClock, type Clock } from '../../../src/kernel/index.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

export const newId = makeNewId({ now: () => systemClock.now().getTime(), chance: randomBytes });

/** Closed after the test. */
export function anEhr(
  url: string,
  more: Partial<Omit<EhrTarget, 'url'>> & { readonly limits?: Partial<EhrLimits>; readonly clock?: Clock } = {},
): Ehr {
  const ehr = openEhr({
    target: { url, auth: more.auth ?? { kind: 'none' }, tls: more.tls ?? null },
    clock: more.clock ?? systemClock,
    chance: randomBytes,
    newId,
    limits: { connectMs: 2_000, headersMs: 5_000, bodyMs: 5_000, deadlineMs: 5_000, ...more.limits },
  });
  closing.push(() => ehr.close());
  return ehr;
}

export interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface OddServer {
  readonly origin: string;
  /** The origin with `/fhir`. */
  readonly base: string;
  readonly port: number;
  readonly heard: Heard[];
  connections(): number;
}

const TLS = new URL('../../support/tls/', import.meta.url);
export const pem = (name: string): string => readFileSync(new URL(name, TLS), 'utf8');

export type Misbehave = (heard: Heard, res: ServerResponse, socket: Socket) => void;

/** A server that does what the test says, and remembers what it heard. Stopped after the test. */
export async function anOddServer(
  misbehave: Misbehave,
  more: {
    readonly tls?: 'plain' | 'ask-for-certificate';
    readonly tlsMax?: 'TLSv1.2' | 'TLSv1.3';
    /** Which certificate of test/support/tls it shows. */
    readonly shows?: 'server' | 'other' | 'expired' | 'client';
  } = {},
): Promise<OddServer> {
  const heard: Heard[] = [];
  let connections = 0;
  const listener: RequestListener = (req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const one = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      heard.push(one);
      misbehave(one, res, req.socket);
    });
  };
  const isAsking = more.tls === 'ask-for-certificate';
  const server: Server =
    more.tls === undefined
      ? createServer(listener)
      : createTlsServer(
          {
            cert: pem(`${more.shows ?? 'server'}.pem`),
            key: pem(`${more.shows ?? 'server'}.key.pem`),
            maxVersion: more.tlsMax ?? 'TLSv1.3',
            ...(isAsking ? { ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true } : {}),
          },
          listener,
        );
  server.on('connection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const origin = `${more.tls === undefined ? 'http' : 'https'}://localhost:${port}`;
  return { origin, base: `${origin}/fhir`, port, heard, connections: () => connections };
}

export const answerJson = (
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void =>
  void res.writeHead(status, { 'content-type': 'application/fhir+json', ...headers }).end(JSON.stringify(value));

/** Kind and fault code of a verdict. */
export const shortOf = (verdict: Verdict): string =>
  verdict.kind === 'ok' ? 'ok' : `${verdict.kind}: ${verdict.fault.code}`;

export const READ = { method: 'GET', path: 'Patient/1', requestId: 'r' } as const;
export const CREATE = {
  method: 'POST',
  path: 'Observation',
  body: '{"resourceType":"Observation","status":"final"}',
  requestId: 'r',
} as const;

/** A port at which nobody listens. */
export async function aFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
