import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { errorCode } from '../kernel/index.ts';
import type { EndpointGuard } from './guard-endpoint.ts';

/** `because`: a word of ours. */
export type Posted = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly because: string };

export interface Post {
  (message: {
    readonly endpoint: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly timeoutMs: number;
  }): Promise<Posted>;
}

export interface Poster {
  readonly post: Post;
  /** Ends connections that are kept open, and what is under way. */
  close(): void;
}

/** Nobody reads what an endpoint says; so much of it is let by before the connection is cut. */
const ANSWER_BYTES_MAX = 64 * 1024;
const KEPT = { keepAlive: true, keepAliveMsecs: 10_000, maxSockets: 8, maxFreeSockets: 4, timeout: 30_000 } as const;

const refused = (because: string): Posted => ({ kind: 'refused', because });

const asPosted = (posted: Posted | 'stale'): Posted => (posted === 'stale' ? refused('unreachable') : posted);

const TLS_ERROR = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/;

function judge({ statusCode = 0 }: IncomingMessage): Posted {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken' };
  if (statusCode >= 300 && statusCode < 400) return refused('redirect');
  return refused(statusCode === 410 ? 'gone' : `http-${statusCode}`);
}

/**
 * POSTs to endpoints of apps. The name is looked up once for each message, and the connection goes to an address that
 * was checked, whatever the name means a moment later. Redirects are not followed.
 */
export function makePoster(deps: {
  readonly guard: EndpointGuard;
  readonly agent: string;
  readonly ca?: string;
}): Poster {
  const tls = { minVersion: 'TLSv1.2', ...(deps.ca === undefined ? {} : { ca: deps.ca }) } as const;
  const agents = { 'http:': new HttpAgent(KEPT), 'https:': new HttpsAgent({ ...KEPT, ...tls }) };
  const underWay = new Set<ClientRequest>();

  const post: Post = async (message) => {
    const first = await send(message);
    // A connection that was kept open may have been closed by the other side just then: nothing of it was read.
    return first === 'stale' ? asPosted(await send(message)) : first;
  };

  async function send({ endpoint, headers, body, timeoutMs }: Parameters<Post>[0]): Promise<Posted | 'stale'> {
    let late: NodeJS.Timeout | undefined;
    const found = await Promise.race([
      deps.guard.check(endpoint),
      new Promise<null>((resolve) => {
        late = setTimeout(() => resolve(null), timeoutMs);
      }),
    ]).finally(() => clearTimeout(late));
    if (found === null) return refused('timeout');
    if (found.kind === 'refused') return refused(found.because);
    const { addresses } = found;
    const pinned: LookupFunction = (_host, options, done) => {
      const wanted = addresses.filter(
        ({ family }) => options.family === undefined || options.family === 0 || family === options.family,
      );
      const [first] = wanted.length > 0 ? wanted : addresses;
      if (options.all === true) done(null, [...(wanted.length > 0 ? wanted : addresses)]);
      else done(null, first?.address ?? '', first?.family ?? 4);
    };
    const isHttps = endpoint.protocol === 'https:';
    return new Promise<Posted | 'stale'>((resolve) => {
      const request = (isHttps ? requestHttps : requestHttp)(endpoint, {
        method: 'POST',
        agent: isHttps ? agents['https:'] : agents['http:'],
        lookup: pinned,
        headers: { ...headers, 'User-Agent': deps.agent, 'Content-Length': String(Buffer.byteLength(body)) },
      });
      underWay.add(request);
      const settle = (posted: Posted | 'stale'): void => {
        clearTimeout(deadline);
        underWay.delete(request);
        resolve(posted);
      };
      const deadline = setTimeout(() => {
        settle(refused('timeout'));
        request.destroy();
      }, timeoutMs);
      request.on('response', (response) => {
        const posted = judge(response);
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > ANSWER_BYTES_MAX) request.destroy();
        });
        response.on('end', () => settle(posted));
        // What it said counts, though it did not come to its end.
        response.on('close', () => settle(posted));
      });
      request.on('error', (error) => {
        const code = errorCode(error) ?? '';
        if (request.reusedSocket && code === 'ECONNRESET') settle('stale');
        settle(refused(TLS_ERROR.test(code) || code.includes('ALTNAME') ? 'tls' : 'unreachable'));
      });
      request.end(body);
    });
  }

  return {
    post,
    close() {
      for (const request of underWay) request.destroy();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
