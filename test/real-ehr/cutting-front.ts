import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  request as plainRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, request as tlsRequest, type RequestOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { ForeignEhr } from '../support/foreign-ehr.ts';

/** One request on its way to the EHR. */
export interface Passing {
  readonly method: string;
  /** From the FHIR base on, with its query. */
  readonly path: string;
  readonly body: string;
}

export interface CutRule {
  readonly matches: (passing: Passing) => boolean;
  /** `before`: the EHR never hears of it. `after`: the EHR has carried it out and answered, and the answer is lost. */
  readonly cut: 'before' | 'after';
  /** What others do at the EHR before the sender can notice the cut. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Stands between a gateway and its EHR, passes everything on, and cuts what it was told to. */
export interface CuttingFront {
  readonly url: string;
  /** What the gateway must be told to reach the EHR through here. */
  readonly settings: Readonly<Record<string, string>>;
  /** Once: the next request that matches. Resolves when it was cut. */
  cutNext(rule: CutRule): Promise<Passing>;
  /** What has passed so far, cut or not. */
  passed(): readonly Passing[];
  close(): Promise<void>;
}

const HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'accept-encoding'];
const CERTIFICATES = new URL('../support/tls/', import.meta.url);
const pem = (name: string): string => readFileSync(new URL(name, CERTIFICATES), 'utf8');
const fileOf = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : readFileSync(path, 'utf8');

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Each side shall see its own address: a server that names itself in links and Locations names us to the gateway. */
export async function makeCuttingFront({ url, settings }: ForeignEhr): Promise<CuttingFront> {
  const ehr = new URL(url);
  const isTls = ehr.protocol === 'https:';
  const ca = fileOf(settings['CHARTGATE_EHR_TLS_CA_FILE']);
  const trust: RequestOptions = isTls
    ? {
        ...(ca === undefined ? {} : { ca }),
        cert: fileOf(settings['CHARTGATE_EHR_TLS_CERT_FILE']),
        key: fileOf(settings['CHARTGATE_EHR_TLS_KEY_FILE']),
      }
    : {};
  const waiting: { readonly rule: CutRule; readonly done: (passing: Passing) => void }[] = [];
  const passed: Passing[] = [];
  let own = '';

  function forward({ method, path, body }: Passing, headers: OutgoingHttpHeaders) {
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((resolve, reject) => {
      const bytes = Buffer.from(body.replaceAll(own, url));
      const target = new URL(`${url}${path}`);
      const out = (isTls ? tlsRequest : plainRequest)(
        target,
        { method, headers: { ...headers, ...(body === '' ? {} : { 'content-length': bytes.length }) }, ...trust },
        (answer) => {
          textOf(answer).then(
            (text) =>
              resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: text.replaceAll(url, own) }),
            reject,
          );
        },
      );
      out.on('error', reject);
      out.end(bytes);
    });
  }

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const root = ehr.pathname.replace(/\/+$/, '');
    const passing = { method: req.method ?? '', path: (req.url ?? '').slice(root.length), body: await textOf(req) };
    passed.push(passing);
    const found = waiting.findIndex(({ rule }) => rule.matches(passing));
    const [cut] = found < 0 ? [] : waiting.splice(found, 1);
    const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !HOP.includes(name)));
    const answer = cut?.rule.cut === 'before' ? null : await forward(passing, headers);
    if (cut !== undefined) {
      await cut.rule.meanwhile?.();
      req.socket.destroy();
      cut.done(passing);
      return;
    }
    if (answer === null) return;
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !HOP.includes(name))
        res.setHeader(name, typeof value === 'string' ? value.replaceAll(url, own) : value);
    res.writeHead(answer.status).end(answer.body);
  }

  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    // An EHR that is not there is one that does not answer.
    pass(req, res).catch(() => req.socket.destroy());
  };
  const server = isTls
    ? createTlsServer({ cert: pem('server.pem'), key: pem('server.key.pem') }, onRequest)
    : createServer(onRequest);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  own = `${isTls ? 'https://localhost' : 'http://127.0.0.1'}:${port}${ehr.pathname.replace(/\/+$/, '')}`;

  // The gateway trusts our certificate here, and whom it trusted before: a token may come from the EHR's own address.
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-front-'));
  const trusted = join(folder, 'ca.pem');
  if (isTls) writeFileSync(trusted, [pem('ca.pem'), ca ?? rootCertificates.join('\n')].join('\n'));

  return {
    url: own,
    settings: { ...settings, CHARTGATE_EHR_URL: own, ...(isTls ? { CHARTGATE_EHR_TLS_CA_FILE: trusted } : {}) },
    cutNext: (rule) => new Promise((resolve) => waiting.push({ rule, done: resolve })),
    passed: () => passed,
    close: () =>
      new Promise((resolve) => {
        rmSync(folder, { recursive: true, force: true });
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
