import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Mount } from '../kernel/index.ts';
import { assetHeaders, FILE_TYPES, makeFilesMount, takesBrotli, type FoundFile } from '../static-files/index.ts';

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

/** What stands below /console; null where nothing does. */
async function find(pathname: string, request: IncomingMessage): Promise<FoundFile | null> {
  const [, name, kind = ''] = ASSET.exec(pathname) ?? [];
  if (name === undefined) {
    const body = SCREEN.test(pathname) ? await readConsoleFile('index.html') : null;
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY };
    return body === null ? null : { headers, body };
  }
  const isSmall = takesBrotli(request);
  const body = await readConsoleFile(`assets/${name}${isSmall ? '.br' : ''}`);
  return body === null ? null : { headers: assetHeaders(FILE_TYPES[kind] ?? '', isSmall), body };
}

/**
 * The console's page and its parts, where they were built. Whoever has not signed in sees a page without anything in it,
 * which leads to the sign-in.
 */
export const makeConsoleMount = (): Mount =>
  makeFilesMount({ path: '/console', find, nothing: 'Nothing is here. The console may not have been built.' });
