import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Answer, type Result, type Route } from '../kernel/index.ts';

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

/** Names hold a digest: what a name once gave it gives for ever. */
const ASSET = /^[\w-]+\.(js|css)$/;
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

async function readConsoleFile(name: string): Promise<Buffer | null> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(name, place));
    } catch {
      // It may be at the next place.
    }
  }
  return null;
}

async function answerFile(name: string, headers: NonNullable<Answer['headers']>): Promise<Result<Answer>> {
  const body = await readConsoleFile(name);
  return body === null ? fail(fault('http.not-found')) : ok({ status: 200, headers, body });
}

/** The build leaves a compressed copy beside each file. */
const takesBrotli = ({ headers }: IncomingMessage): boolean =>
  /(^|,)\s*br\s*(,|$)/.test(headers['accept-encoding'] ?? '');

/** The console's page and its parts. Whoever has not signed in sees an empty page that leads to the sign-in. */
export function makeConsoleRoutes(): Route[] {
  const page = () =>
    answerFile('index.html', { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY });
  const open = (path: string, handle: Route['handle']): Route => ({ method: 'get', path, access: 'open', handle });
  return [
    open('/console', page),
    open('/console/assets/:name', ({ params, request }) => {
      const { name = '' } = params;
      const type = ASSET.exec(name)?.[1] as keyof typeof TYPES | undefined;
      if (type === undefined) return fail(fault('http.not-found'));
      const headers = {
        'Content-Type': TYPES[type],
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
      };
      return takesBrotli(request)
        ? answerFile(`assets/${name}.br`, { ...headers, 'Content-Encoding': 'br' })
        : answerFile(`assets/${name}`, headers);
    }),
    open('/console/*screen', page),
  ];
}
