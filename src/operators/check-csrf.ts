import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Result } from '../kernel/index.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
export const CSRF_HEADER = 'x-chartgate-csrf';

/** Made of the session's secret, so that it changes with it and is stored nowhere. */
export const csrfOf = (secret: string): string =>
  createHmac('sha256', secret).update('chartgate operator csrf v1').digest('base64url');

/**
 * The browser says where a request comes from. One that says nothing is not believed: every browser sends one of the
 * two with what changes something.
 */
export function checkSameOrigin({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): Result<null> {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOurs =
    (origin !== undefined || site !== undefined) &&
    (origin === undefined || origin === new URL(publicUrl).origin) &&
    (site === undefined || site === 'same-origin');
  return isOurs ? ok(null) : fail(fault('operator.csrf', { at: 'Origin' }));
}

/** Whatever changes something by a session comes from our own page and carries the session's token. */
export function checkCsrf(
  request: Pick<IncomingMessage, 'headers' | 'method'>,
  publicUrl: string,
  secret: string,
): Result<null> {
  if (SAFE.has(request.method ?? '')) return ok(null);
  const same = checkSameOrigin(request, publicUrl);
  if (!same.ok) return same;
  const given = Buffer.from(String(request.headers[CSRF_HEADER] ?? ''));
  const expected = Buffer.from(csrfOf(secret));
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? ok(null)
    : fail(fault('operator.csrf', { at: 'X-Chartgate-Csrf' }));
}
