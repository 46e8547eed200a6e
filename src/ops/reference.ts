import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ICON_URL, type Answer } from '../kernel/index.ts';

const PACKAGED = 'redoc/bundles/redoc.standalone.js';
/** A picture that the renderer would load from its makers; nothing on the page comes from elsewhere. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_PICTURE = 'data:,';

/**
 * The renderer puts its style into the page: an empty element, which it fills rule by rule, and one of a fixed text.
 * Their digests are allowed and no other style in the page; scripts are files of our own.
 */
const STYLES = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  `style-src 'self' ${STYLES.join(' ')}`,
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

/** The reference: groups, parameters, schemas, authentication and calls to copy, drawn from `/openapi.json`. */
export const renderReference = (version: string): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chartgate ${version}: reference</title><link rel="icon" type="image/svg+xml" href="${ICON_URL}"><link rel="stylesheet" href="/docs/style.css"></head>
<body><redoc spec-url="/openapi.json" disable-search="true" native-scrollbars="true" required-props-first="true"></redoc>
<noscript><p>The reference is drawn by a script. <a href="/openapi.json">openapi.json</a> says the same.</p></noscript>
<script src="/docs/reference.js" defer></script></body></html>
`,
});

/** A build puts the renderer beside this file; from the sources it is where npm put it. */
async function readRenderer(): Promise<string> {
  try {
    return await readFile(new URL('./reference/renderer.js', import.meta.url), 'utf8');
  } catch {
    return readFile(createRequire(import.meta.url).resolve(PACKAGED), 'utf8');
  }
}

/** Read when somebody asks for it: a start costs nothing. */
export async function readReferenceScript(): Promise<Answer> {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=3600' },
    body: (await readRenderer()).replaceAll(FOREIGN_LOGO, NO_PICTURE),
  };
}

export const REFERENCE_STYLE = `body { margin: 0; }
`;
