import { describe, expect, test } from '@jest/globals';
import {
  basic,
  makeAddressList,
  mtlsHeader,
  secretPath,
  type Authenticator,
  type Head,
} from '../../../src/ingest/index.ts';
import { secret } from '../../../src/kernel/index.ts';

const NEW = 'Kq7vN2xT9mB4wR6yP1sD8fG3hJ5kL0zA';
const OLD = 'a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5';

const headOf = (more: Partial<Head> = {}): Head => ({
  pathSecret: '',
  headers: {},
  remoteAddress: '192.0.2.1',
  ...more,
});

function admits(authenticator: Authenticator, head: Partial<Head>): boolean {
  if (authenticator.stage !== 'head') throw new Error('asks for the body');
  return authenticator.check(headOf(head));
}

describe('the secret path', () => {
  const one = secretPath([secret(NEW), secret(OLD)]);

  test.each([
    ['the new one', NEW],
    ['the old one', OLD],
  ])('lets in %s while both are live', (_which, pathSecret) => {
    expect(admits(one, { pathSecret })).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['another', 'b'.repeat(32)],
    ['another case', NEW.toLowerCase()],
    ['one cut short', NEW.slice(0, -1)],
    ['one with more behind it', `${NEW}x`],
    ['one with a blank', `${NEW} `],
    ['both at once', `${NEW},${OLD}`],
    ['how it prints', String(secret(NEW))],
  ])('refuses %s', (_which, pathSecret) => {
    expect(admits(one, { pathSecret })).toBe(false);
  });

  test('refuses the old one when only the new one is live', () => {
    expect(admits(secretPath([secret(NEW)]), { pathSecret: OLD })).toBe(false);
  });

  test('lets nobody in without a secret', () => {
    expect(admits(secretPath([]), { pathSecret: '' })).toBe(false);
  });
});

describe('basic', () => {
  const one = basic([secret('source:pass:word'), secret('source:old-ü')]);
  const encoded = (text: string): string => Buffer.from(text).toString('base64');

  test.each([
    ['the new pair, whose password holds a colon', `Basic ${encoded('source:pass:word')}`],
    ['the old pair, beyond ASCII', `Basic ${encoded('source:old-ü')}`],
    ['the scheme in other case (RFC 9110)', `bAsIc ${encoded('source:pass:word')}`],
  ])('lets in %s', (_which, authorization) => {
    expect(admits(one, { headers: { authorization } })).toBe(true);
  });

  test.each([
    ['another password', `Basic ${encoded('source:other')}`],
    ['another user', `Basic ${encoded('nobody:pass:word')}`],
    ['another case', `Basic ${encoded('SOURCE:pass:word')}`],
    ['no password', `Basic ${encoded('source')}`],
    ['an empty one', 'Basic '],
    ['a truncated one', `Basic ${encoded('source:pass:word').slice(0, -6)}`],
    ['more behind it', `Basic ${encoded('source:pass:word')} x`],
    ['two in one header', `Basic ${encoded('source:pass:word')}, Basic ${encoded('source:pass:word')}`],
    ['another scheme', `Bearer ${encoded('source:pass:word')}`],
    ['the pair in clear', 'Basic source:pass:word'],
    ['nothing', ''],
  ])('refuses %s', (_which, authorization) => {
    expect(admits(one, { headers: { authorization } })).toBe(false);
  });

  test('refuses a request without the header', () => {
    expect(admits(one, {})).toBe(false);
  });
});

describe('the address list', () => {
  const isListed = makeAddressList(['10.1.2.3', '172.16.0.0/12', '2001:db8::1', 'fd00::/8']);

  test.each([
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '2001:db8::1',
    '2001:DB8:0:0::1',
    'fd12:3456::1',
    '::ffff:10.1.2.3',
    '::ffff:172.20.0.9',
  ])('holds %s', (address) => {
    expect(isListed(address)).toBe(true);
  });
  test.each([
    '10.1.2.4',
    '172.32.0.1',
    '172.15.255.255',
    '2001:db8::2',
    'fe00::1',
    '::ffff:10.1.2.4',
    '::1',
    '127.0.0.1',
    '',
    'proxy',
    '10.1.2',
    '10.1.2.3, 10.1.2.4',
  ])('does not hold "%s"', (address) => {
    expect(isListed(address)).toBe(false);
  });
  test('that is empty holds nobody', () => {
    expect(makeAddressList([])('127.0.0.1')).toBe(false);
  });
});

describe('the mTLS header', () => {
  const one = mtlsHeader(
    'x-client-cert',
    [secret('CN=source'), secret('CN=source-old')],
    makeAddressList(['10.0.0.1', '10.9.0.0/16', 'fd00::1']),
  );
  const from = (remoteAddress: string, value: string | string[] = 'CN=source') => ({
    remoteAddress,
    headers: { 'x-client-cert': value },
  });

  test.each(['10.0.0.1', '10.9.200.7', 'fd00::1', '::ffff:10.0.0.1', '::ffff:10.9.1.1'])(
    'counts from the proxy at %s',
    (address) => {
      expect(admits(one, from(address))).toBe(true);
    },
  );
  test('counts with either name during a rotation', () => {
    expect(admits(one, from('10.0.0.1', 'CN=source-old'))).toBe(true);
  });
  test.each(['10.0.0.2', '10.10.0.1', '::1', '127.0.0.1', '::ffff:10.0.0.2', 'fd00::2', ''])(
    'is worth nothing from "%s"',
    (address) => {
      expect(admits(one, from(address))).toBe(false);
    },
  );
  test('does not take the proxy from another header', () => {
    const headers = {
      'x-client-cert': 'CN=source',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
    };
    expect(admits(one, { remoteAddress: '192.0.2.1', headers })).toBe(false);
  });
  test.each([
    ['another name', 'CN=other'],
    ['another case', 'cn=source'],
    ['a longer name', 'CN=source,O=x'],
    ['a name cut short', 'CN=sourc'],
    ['nothing', ''],
    ['the header twice, joined', 'CN=source, CN=source'],
    ['the header twice, as a list', ['CN=source', 'CN=source']],
  ])('refuses %s', (_which, value) => {
    expect(admits(one, from('10.0.0.1', value))).toBe(false);
  });
  test('refuses a request of the proxy without the header', () => {
    expect(admits(one, { remoteAddress: '10.0.0.1', headers: {} })).toBe(false);
  });
});
