import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mount } from '../kernel/index.ts';

export interface FoundFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A build leaves a compressed copy beside each file. */
export const takesBrotli = ({ headers }: IncomingMessage): boolean =>
  /(^|,)\s*br\s*(,|$)/.test(String(headers['accept-encoding']));

/** A name holds a digest: what it once gave it gives for ever. */
export const assetHeaders = (type: string, isSmall: boolean): Readonly<Record<string, string>> => ({
  'Content-Type': type,
  'Cache-Control': 'public, max-age=31536000, immutable',
  Vary: 'Accept-Encoding',
  ...(isSmall ? { 'Content-Encoding': 'br' } : {}),
});

export const FILE_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

function answer(response: ServerResponse, status: number, { headers, body }: FoundFile): void {
  response.writeHead(status, headers);
  response.end(body);
}

const plain = (text: string): FoundFile => ({
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: Buffer.from(text),
});

/** Files that a build has made, below a path of their own. `nothing`: what is said where `find` finds none. */
export const makeFilesMount = (deps: {
  readonly path: string;
  readonly find: (pathname: string, request: IncomingMessage) => Promise<FoundFile | null>;
  readonly nothing: string;
}): Mount => ({
  path: deps.path,
  async handle(request, response) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      answer(response, 405, plain('This is read.\n'));
      return;
    }
    const { pathname } = new URL(request.url ?? '/', 'http://files');
    const found = await deps.find(pathname, request);
    if (found === null) answer(response, 404, plain(`${deps.nothing}\n`));
    else answer(response, 200, found);
  },
});
