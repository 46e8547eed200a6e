import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { StartError, errorCode, type Secret } from '../kernel/index.ts';

/** Bounds on what a client may cost us. Node's own defaults are far wider (300 s a request, 2,000 headers). */
const LIMITS = {
  requestTimeout: 15_000,
  headersTimeout: 8_000,
  /** Above the idle time of usual load balancers: else they race our close and answer 502. */
  keepAliveTimeout: 65_000,
  /** How often the two limits above are looked at. */
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  requireHostHeader: true,
  insecureHTTPParser: false,
  noDelay: true,
  highWaterMark: 64 * 1024,
} as const;

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already taken. Stop what listens there, or choose another port',
  EACCES: 'may not be used by this user. Choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine',
};

/** What Node's parser and its clocks refuse before there is a request. */
const PARSER_STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

function limit(server: Server): void {
  server.maxHeadersCount = 64;
  server.maxRequestsPerSocket = 1_000;
  server.maxConnections = 2_000;
  server.setTimeout(45_000);
  server.on('clientError', (error: Error, socket: Duplex) => {
    const status = PARSER_STATUS[errorCode(error) ?? ''] ?? '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
}

/** Node's own words for a certificate that does not fit name no setting. */
function orSay<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw new StartError(
      'http.tls',
      'CHARTGATE_TLS_CERT_FILE and CHARTGATE_TLS_KEY_FILE are not a certificate and its private key in PEM.',
      thrown,
    );
  }
}

export function makeServer(
  handle: RequestListener,
  tls: { readonly cert: string; readonly key: Secret } | null,
): Server {
  if (tls === null) {
    const server = createHttpServer(LIMITS, handle);
    limit(server);
    return server;
  }
  const server = orSay(() =>
    createHttpsServer(
      {
        ...LIMITS,
        cert: tls.cert,
        key: tls.key.reveal(),
        minVersion: 'TLSv1.2',
        honorCipherOrder: true,
        ALPNProtocols: ['http/1.1'],
      },
      handle,
    ),
  );
  limit(server);
  server.on('tlsClientError', () => undefined);
  return server;
}

/** Resolves with the port, which differs from the wanted one where that was 0. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (thrown: Error & { code?: string }): void =>
      reject(
        new StartError(
          'http.listen',
          `${host}:${port} ${WORDS[thrown.code ?? ''] ?? `cannot be listened on (${thrown.code ?? 'unknown'})`}.`,
          thrown,
        ),
      );
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      const address = server.address();
      resolve(address !== null && typeof address !== 'string' ? address.port : port);
    });
  });
}
