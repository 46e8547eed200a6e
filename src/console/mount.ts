import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mount } from '../kernel/index.ts';

/** A build puts the files beside this one; from the sources they are where the workspace makes them. */
const PLACES = [new URL('./files/', import.meta.url), new URL('../../console/dist/', import.meta.url)];

/** Scripts and styles are files of our own; nothing makes markup or code of text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const ASSET = /^\/assets\/([\w-]+\.(js|css))$/;
const SCREEN = /^(\/[\w.-]{1,64}){0,3}\/?$/;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

interface Found {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

async function readConsoleFile(name: string): Promise<Uint8Array | null> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(name, place));
    } catch {
      // It may be at the next place.
    }
  }
  return null;
}

/** The build leaves a compressed copy beside each file. */
const takesBrotli = ({ headers }: IncomingMessage): boolean =>
  /(^|,)\s*br\s*(,|$)/.test(String(headers['accept-encoding']));

/** What stands below /console; null where nothing does. */
async function find(request: IncomingMessage): Promise<Found | null> {
  const { pathname } = new URL(request.url ?? '/', 'http://console');
  const [, name, kind = ''] = ASSET.exec(pathname) ?? [];
  if (name === undefined) {
    const body = SCREEN.test(pathname) ? await readConsoleFile('index.html') : null;
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY };
    return body === null ? null : { headers, body };
  }
  const isSmall = takesBrotli(request);
  const body = await readConsoleFile(`assets/${name}${isSmall ? '.br' : ''}`);
  // A name holds a digest: what it once gave it gives for ever.
  const headers = {
    'Content-Type': TYPES[kind] ?? '',
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(isSmall ? { 'Content-Encoding': 'br' } : {}),
  };
  return body === null ? null : { headers, body };
}

function answer(response: ServerResponse, status: number, { headers, body }: Found): void {
  response.writeHead(status, headers);
  response.end(body);
}

const plain = (text: string): Found => ({
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: Buffer.from(text),
});

/**
 * The console's page and its parts, where they were built. Whoever has not signed in sees a page without anything in it,
 * which leads to the sign-in.
 */
export function makeConsoleMount(): Mount {
  return {
    path: '/console',
    async handle(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD');
        answer(response, 405, plain('The console is read.\n'));
        return;
      }
      const found = await find(request);
      if (found === null) answer(response, 404, plain('Nothing is here. The console may not have been built.\n'));
      else answer(response, 200, found);
    },
  };
}
