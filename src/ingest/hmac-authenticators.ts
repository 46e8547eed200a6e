import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject, isObjectOrArray, type Secret } from '../kernel/index.ts';
import type { Authenticator, Head } from './authenticator.ts';

export type HmacScheme = 'fields' | 'raw-body' | 'standard-webhooks';

const headerOf = ({ headers }: Head, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** In constant time, hex or base64, with or without the `sha256=` that some senders put in front. */
function isDigest(given: string, digest: Buffer): boolean {
  const text = given.replace(/^sha256=/i, '');
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : /^[A-Za-z0-9+/]{43}=$/.test(text) ? 'base64' : null;
  return encoding !== null && timingSafeEqual(Buffer.from(text, encoding), digest);
}

/** Nothing else is taken for one: with no separator between the fields, a digit more would make one user another. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Every `datetime` and `datetime_string` near the top; the specification does not say which one is signed. */
function dateTimesOf(value: unknown, depth = 0): string[] {
  if (!isObjectOrArray(value) || depth > 6) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    if ((name === 'datetime' || name === 'datetime_string') && typeof part === 'string')
      return DATE_TIME.test(part) ? [part] : [];
    return name === 'clinical_ready_data' ? [] : dateTimesOf(part, depth + 1);
  });
}

/**
 * `client_uuid + user_id + datetime`. It says who sent something about whom and when, not what: the body is not signed.
 */
function fieldsMatch(given: string, keys: readonly Secret[], body: Buffer): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return false;
  }
  if (!isObject(value) || typeof value['client_uuid'] !== 'string' || typeof value['user_id'] !== 'string')
    return false;
  const front = value['client_uuid'] + value['user_id'];
  const texts = [...new Set(dateTimesOf(value))].slice(0, 16).map((at) => front + at);
  return keys.some((key) =>
    texts.some((text) => isDigest(given, createHmac('sha256', key.reveal()).update(text).digest())),
  );
}

const bodyMatches = (given: string, keys: readonly Secret[], body: Buffer): boolean =>
  keys.some((key) => isDigest(given, createHmac('sha256', key.reveal()).update(body).digest()));

/**
 * https://www.standardwebhooks.com: any of several signatures over id, timestamp and body. The timestamp is part of
 * what is signed; its age is not judged, since deliveries are repeated for days and a repetition is recognised by its
 * content.
 */
function standardMatches(head: Head, keys: readonly Secret[], body: Buffer): boolean {
  const id = headerOf(head, 'webhook-id');
  const timestamp = headerOf(head, 'webhook-timestamp');
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  const signatures = headerOf(head, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => one.slice('v1,'.length));
  return keys.some((key) => {
    const secret = Buffer.from(key.reveal().replace(/^whsec_/, ''), 'base64');
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
    return signatures.some((given) => isDigest(given, digest));
  });
}

export const hmacMatches = (
  scheme: HmacScheme,
  header: string,
  keys: readonly Secret[],
  head: Head,
  body: Buffer,
): boolean => {
  switch (scheme) {
    case 'fields':
      return fieldsMatch(headerOf(head, header), keys, body);
    case 'raw-body':
      return bodyMatches(headerOf(head, header), keys, body);
    case 'standard-webhooks':
      return standardMatches(head, keys, body);
  }
};

export const hmac = (scheme: HmacScheme, header: string, keys: readonly Secret[]): Authenticator => ({
  name: `hmac-${scheme}`,
  proves: 'signature',
  stage: 'body',
  check: (head, body) => hmacMatches(scheme, header, keys, head, body),
});

export const HMAC_SCHEMES: readonly HmacScheme[] = ['fields', 'raw-body', 'standard-webhooks'];
