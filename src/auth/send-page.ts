import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/**
 * A redirect that follows a form is held against the page's policy by some browsers, so that the app's address must be
 * in it.
 */
const formTargets = (uri: string): string => {
  const url = URL.parse(uri);
  if (url === null) return '';
  return /^https?:$/.test(url.protocol) ? ` ${url.origin}` : ` ${url.protocol}`;
};
/** Who may show a page of ours in a frame: nobody, unless configured. */
const framedBy = (ancestors: readonly string[]): string => (ancestors.length === 0 ? "'none'" : ancestors.join(' '));
const pagePolicy = (redirectUri: string, ancestors: readonly string[]): string =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors ${framedBy(ancestors)}; form-action 'self'${formTargets(redirectUri)}`;

/**
 * The policy of the provider's page that sends a code on by `response_mode=form_post`: its one script, and the app that
 * it is for.
 */
export function formPostPolicy(page: string, redirectUri: string, ancestors: readonly string[]): string {
  const [, script = ''] = /<script>([^<]*)<\/script>/.exec(page) ?? [];
  const digest = createHash('sha256').update(script).digest('base64');
  return `default-src 'none'; script-src 'sha256-${digest}'; base-uri 'none'; frame-ancestors ${framedBy(ancestors)}; form-action${formTargets(redirectUri)}`;
}

/** `ancestors`: origins in whose frames the page may be shown. Only pages between an app's request and its answer are. */
export function sendPage(
  response: ServerResponse,
  status: number,
  page: string,
  { redirectUri = '', ancestors = [] }: { readonly redirectUri?: string; readonly ancestors?: readonly string[] } = {},
): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', pagePolicy(redirectUri, ancestors));
  // The older header knows no list, and where both are sent some browsers follow it.
  if (ancestors.length > 0) response.removeHeader('X-Frame-Options');
  // Without any referrer a browser hides the origin of a form from its own server, which must know it.
  response.setHeader('Referrer-Policy', 'same-origin');
  response.end(page);
}
