import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Mount } from '../kernel/index.ts';
import { assetHeaders, FILE_TYPES, makeFilesMount, takesBrotli, type FoundFile } from '../static-files/index.ts';

/** Where `npm run docs` puts the pages, in a checkout and in a package. */
const PLACE = new URL('../../dist/guide/', import.meta.url);

/** One name, or names of folders before it; none begins with a dot. */
const PAGE = /^\/((?:[\w-]+\/)*)(?:([\w-]+)(?:\.html)?)?$/;
const ASSET = /^\/((?:assets\/(?:chunks\/)?[@\w.-]+|hashmap|vp-icons)\.(js|css|json|png|svg|woff2))$/;
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g;

/**
 * Scripts are files of our own; those few that the generator writes into a page are known by their digests. Colours of
 * code stand in attributes.
 */
function policyFor(page: string): string {
  const known = [...page.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(known)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function find(place: URL, pathname: string, request: IncomingMessage): Promise<FoundFile | null> {
  const read = (name: string): Promise<Buffer | null> => readFile(new URL(name, place)).catch(() => null);
  const [, asset, kind = ''] = ASSET.exec(pathname) ?? [];
  if (asset !== undefined) {
    const isText = kind === 'js' || kind === 'css' || kind === 'json';
    const small = isText && takesBrotli(request) ? await read(`${asset}.br`) : null;
    const body = small ?? (await read(asset));
    return body === null ? null : { headers: assetHeaders(FILE_TYPES[kind] ?? '', small !== null), body };
  }
  const [isPage, folder = '', name = 'index'] = PAGE.exec(pathname === '' ? '/' : pathname) ?? [];
  const body = isPage === undefined ? null : await read(`${folder}${name}.html`);
  if (body === null) return null;
  const policy = policyFor(body.toString('utf8'));
  return { headers: { 'Content-Type': FILE_TYPES['html'] ?? '', 'Content-Security-Policy': policy }, body };
}

/** The documentation as pages with a search, where they were built. */
export const makeHandbookMount = (place = PLACE): Mount =>
  makeFilesMount({
    path: '/docs/guide',
    find: (pathname, request) => find(place, pathname, request),
    nothing: 'Nothing is here. In a checkout "npm run docs" builds the documentation.',
  });
