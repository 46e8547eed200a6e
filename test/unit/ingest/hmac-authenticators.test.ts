import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { hmac, type Authenticator, type Head, type HmacScheme } from '../../../src/ingest/index.ts';
import { secret } from '../../../src/kernel/index.ts';
import {
  aClinicalReady,
  aStepsEvent,
  anAlertEvent,
  anAlertSummary,
  aUserProfile,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';

/** HMAC-SHA-256 as RFC 2104 writes it, apart from the library that the gateway uses. */
function sign(key: Buffer | string, ...texts: (Buffer | string)[]): Buffer {
  const sha = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
  const bytes = Buffer.from(key as string);
  const block = Buffer.concat([bytes.length > 64 ? sha(bytes) : bytes, Buffer.alloc(64)]).subarray(0, 64);
  const pad = (by: number): Buffer => Buffer.from(block.map((byte) => byte ^ by));
  return sha(pad(0x5c), sha(pad(0x36), ...texts.map((text) => Buffer.from(text as string))));
}

const NEW = 'a-key-of-the-source-2026';
const OLD = 'a-key-of-the-source-2025-that-is-longer-than-the-sixty-four-bytes-of-one-block';
const BODY = JSON.stringify(aClinicalReady());

function admits(authenticator: Authenticator, headers: Head['headers'], body: Buffer | string): boolean {
  if (authenticator.stage !== 'body') throw new Error('does not ask for the body');
  return authenticator.check({ pathSecret: '', headers, remoteAddress: '192.0.2.1' }, Buffer.from(body as string));
}
const made = (scheme: HmacScheme, ...keys: string[]): Authenticator => hmac(scheme, 'x-hash', keys.map(secret));

test('our own HMAC gives the vector of RFC 4231, case 2', () => {
  expect(sign('Jefe', 'what do ya want for nothing?').toString('hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

describe('over the raw body', () => {
  const one = made('raw-body', NEW, OLD);
  const check = (value: string | string[] | undefined, body: Buffer | string = BODY): boolean =>
    admits(one, value === undefined ? {} : { 'x-hash': value }, body);
  const good = sign(NEW, BODY);

  test.each([
    ['hex', good.toString('hex')],
    ['base64', good.toString('base64')],
    ['sha256= and hex', `sha256=${good.toString('hex')}`],
    ['sha256= and base64', `sha256=${good.toString('base64')}`],
    ['hex by the old key', sign(OLD, BODY).toString('hex')],
    ['base64 by the old key', sign(OLD, BODY).toString('base64')],
  ])('lets in %s', (_how, value) => {
    expect(check(value)).toBe(true);
  });

  test('lets in a body of bytes that are no text, and an empty one', () => {
    const bytes = Buffer.from([0, 255, 254, 10, 13]);
    expect([check(sign(NEW, bytes).toString('hex'), bytes), check(sign(NEW, '').toString('hex'), '')]).toEqual([
      true,
      true,
    ]);
  });

  test.each<[string, string | string[] | undefined]>([
    ['nothing', undefined],
    ['an empty header', ''],
    ['the prefix alone', 'sha256='],
    ['hex of another key', sign('another-key-of-somebody', BODY).toString('hex')],
    ['hex of another body', sign(NEW, `${BODY} `).toString('hex')],
    ['hex cut short', good.toString('hex').slice(0, -2)],
    ['hex with more behind it', `${good.toString('hex')}00`],
    ['base64 cut short', good.toString('base64').slice(0, -4)],
    ['base64 in other case', good.toString('base64').toUpperCase()],
    ['base64 with more behind it', `${good.toString('base64')}junk`],
    ['another algorithm by name', `sha1=${good.toString('hex')}`],
    ['hex twice in one header', `${good.toString('hex')}, ${good.toString('hex')}`],
    ['base64 twice in one header', `${good.toString('base64')}, ${good.toString('base64')}`],
    ['hex twice as a list', [good.toString('hex'), good.toString('hex')]],
    ['the bare hash of the body', createHash('sha256').update(BODY).digest('hex')],
    ['the key', NEW],
  ])('refuses %s', (_how, value) => {
    expect(check(value)).toBe(false);
  });

  test('refuses the signature of the same JSON in other bytes', () => {
    expect(check(good.toString('hex'), JSON.stringify(aClinicalReady(), null, 1))).toBe(false);
  });
  test('refuses the signature in another header', () => {
    expect(admits(one, { 'x-other': good.toString('hex') }, BODY)).toBe(false);
  });
  test('refuses the old key when only the new one is live', () => {
    expect(admits(made('raw-body', NEW), { 'x-hash': sign(OLD, BODY).toString('hex') }, BODY)).toBe(false);
  });
  test('refuses all without a key', () => {
    expect(admits(made('raw-body'), { 'x-hash': sign('', BODY).toString('hex') }, BODY)).toBe(false);
  });
});

describe('over client_uuid + user_id + datetime', () => {
  const one = made('fields', NEW, OLD);
  const textOf = (value: Json, at: string): string => `${String(value['client_uuid'])}${String(value['user_id'])}${at}`;
  const check = (value: unknown, text: string, key = NEW): boolean =>
    admits(
      one,
      { 'x-hash': sign(key, text).toString('hex') },
      typeof value === 'string' ? value : JSON.stringify(value),
    );

  const SAMPLES: readonly (readonly [string, Json, string])[] = [
    ['clinical_ready', aClinicalReady(), '2026-11-14T23:59:59Z'],
    ['steps_event', aStepsEvent(), '2026-11-14T10:00:00+01:00'],
    ['user_profile', aUserProfile(), '2026-11-14T00:00:00+01:00'],
    ['alert_event', anAlertEvent(), '2026-11-14T03:12:00+01:00'],
    ['alert_summary', anAlertSummary(), '2026-11-14T23:59:59+01:00'],
    ['a datetime at the top', { ...aStepsEvent(), datetime: '2026-11-14T11:11:11Z' }, '2026-11-14T11:11:11Z'],
  ];
  test.each(SAMPLES)('lets in %s', (_name, value, at) => {
    expect(check(value, textOf(value, at))).toBe(true);
  });
  test('lets in what the old key signed', () => {
    expect(check(aStepsEvent(), textOf(aStepsEvent(), '2026-11-14T10:00:00+01:00'), OLD)).toBe(true);
  });

  const good = textOf(aStepsEvent(), '2026-11-14T10:00:00+01:00');
  test.each<[string, unknown, string]>([
    ['the fields of another user', aStepsEvent({ userId: 'user-0002' }), good],
    ['the fields of another client', aStepsEvent({ clientUuid: 'other' }), good],
    ['another datetime', aStepsEvent({ at: '2026-11-14T10:00:01+01:00' }), good],
    ['no datetime in the text', aStepsEvent(), textOf(aStepsEvent(), '')],
    ['an empty text', aStepsEvent(), ''],
    ['no user_id', withAt(aStepsEvent(), 'user_id', undefined), good],
    ['a user_id that is no text', withAt(aStepsEvent(), 'user_id', ['user-0001']), good],
    ['no client_uuid', withAt(aStepsEvent(), 'client_uuid', undefined), good],
    ['a list', [aStepsEvent()], good],
    ['null', null, good],
    ['not JSON', '{"client_uuid":', good],
    ['a datetime inside the FHIR content only', aClinicalReady(), textOf(aClinicalReady(), '2026-11-14T00:00:00Z')],
  ])('refuses %s', (_how, value, text) => {
    expect(check(value, text)).toBe(false);
  });
  test('refuses another key', () => {
    expect(check(aStepsEvent(), good, 'another-key-of-somebody')).toBe(false);
  });
  test('refuses a request without the header', () => {
    expect(admits(one, {}, JSON.stringify(aStepsEvent()))).toBe(false);
  });
  test('refuses a body without any datetime, whatever is signed', () => {
    const value = { client_uuid: 'c', user_id: 'u' };
    expect([check(value, 'cu'), check(value, 'cuundefined'), check(value, '')]).toEqual([false, false, false]);
  });
});

describe('Standard Webhooks', () => {
  const keyNew = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const keyOld = Buffer.alloc(32, 7);
  const secretOf = (key: Buffer): string => `whsec_${key.toString('base64')}`;
  const one = hmac('standard-webhooks', 'webhook-signature', [secret(secretOf(keyNew)), secret(secretOf(keyOld))]);
  const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const AT = '1614265330';

  const signature = (key: Buffer, body: Buffer | string = BODY, id = ID, at = AT): string =>
    `v1,${sign(key, `${id}.${at}.`, body).toString('base64')}`;
  const headersOf = (value: string, more: Head['headers'] = {}): Head['headers'] => ({
    'webhook-id': ID,
    'webhook-timestamp': AT,
    'webhook-signature': value,
    ...more,
  });
  const good = signature(keyNew);

  test("the standard's own published vector is let in", () => {
    const headers = headersOf('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(admits(one, headers, '{"test": 2432232314}')).toBe(true);
  });

  test.each([
    ['the new key', good],
    ['the old key', signature(keyOld)],
    ['the good one behind another', `${signature(Buffer.alloc(32, 9))} ${good}`],
    ['the good one before another', `${good} ${signature(Buffer.alloc(32, 9))}`],
    ['the good one behind one of a later version', `v2,${'A'.repeat(44)} v1a,${'B'.repeat(88)} ${good}`],
    ['the good one between nonsense', `nonsense ${good} v1,`],
  ])('lets in %s', (_how, value) => {
    expect(admits(one, headersOf(value), BODY)).toBe(true);
  });

  test('does not judge the age, since deliveries are repeated for days', () => {
    const at = '1';
    expect(admits(one, headersOf(signature(keyNew, BODY, ID, at), { 'webhook-timestamp': at }), BODY)).toBe(true);
  });
  test('lets in a secret without its prefix', () => {
    const bare = hmac('standard-webhooks', 'webhook-signature', [secret(keyNew.toString('base64'))]);
    expect(admits(bare, headersOf(good), BODY)).toBe(true);
  });
  test('lets in a body of bytes that are no text', () => {
    const bytes = Buffer.from([0, 255, 254]);
    expect(admits(one, headersOf(signature(keyNew, bytes)), bytes)).toBe(true);
  });

  test.each<[string, Head['headers']]>([
    ['no signature', headersOf('')],
    ['the version alone', headersOf('v1,')],
    ['a signature without its version', headersOf(good.slice(3))],
    ['a later version', headersOf(good.replace('v1,', 'v2,'))],
    ['an asymmetric version', headersOf(good.replace('v1,', 'v1a,'))],
    ['another key', headersOf(signature(Buffer.alloc(32, 9)))],
    ['the text of the secret as key', headersOf(signature(Buffer.from(secretOf(keyNew))))],
    ['a signature cut short', headersOf(good.slice(0, -4))],
    ['another body', headersOf(signature(keyNew, '{}'))],
    ['another id', headersOf(good, { 'webhook-id': 'msg_other' })],
    ['another timestamp', headersOf(good, { 'webhook-timestamp': '1614265331' })],
    ['the id twice', headersOf(good, { 'webhook-id': `${ID}, ${ID}` })],
    ['an empty id', headersOf(signature(keyNew, BODY, ''), { 'webhook-id': '' })],
    ['a timestamp that is no number', headersOf(signature(keyNew, BODY, ID, 'now'), { 'webhook-timestamp': 'now' })],
    [
      'a part of the body in the timestamp',
      headersOf(signature(keyNew, BODY, ID, '1.2'), { 'webhook-timestamp': '1.2' }),
    ],
    ['two signatures without a blank', headersOf(`${signature(Buffer.alloc(32, 9))},${good}`)],
  ])('refuses %s', (_how, headers) => {
    expect(admits(one, headers, BODY)).toBe(false);
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('refuses a request without %s', (name) => {
    const { [name]: _absent, ...headers } = headersOf(good);
    expect(admits(one, headers, BODY)).toBe(false);
  });
});
