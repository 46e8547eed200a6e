import { describe, expect, test } from '@jest/globals';
import { isPublicAddress, makeEndpointGuard, type Resolve } from '../../../src/subscriptions/guard-endpoint.ts';

const at = (...addresses: string[]): Resolve => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return () => Promise.resolve(found);
};
const check = (url: string, resolve: Resolve, privateHosts: readonly string[] = []) =>
  makeEndpointGuard({ resolve, privateHosts }).check(new URL(url));

test.each([
  '10.1.2.3',
  '127.0.0.1',
  '0.0.0.0',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fd00::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '2001:db8::1',
  'ff02::1',
  'not an address',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1', '2a00:1450::1'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

describe('an endpoint', () => {
  test('on the public internet is good, with the addresses that were checked', async () => {
    expect(await check('https://app.example.org/hook', at('8.8.8.8'))).toEqual({
      kind: 'good',
      addresses: [{ address: '8.8.8.8', family: 4 }],
    });
  });
  test('of which one address is private is refused, whatever the others are', async () => {
    expect(await check('https://app.example.org/', at('8.8.8.8', '10.0.0.1'))).toEqual({
      kind: 'refused',
      because: 'address',
    });
  });
  test('is looked at each time: a name that turns to a private address is refused then', async () => {
    let now = '8.8.8.8';
    const guard = makeEndpointGuard({ privateHosts: [], resolve: () => at(now)('') });
    const url = new URL('https://app.example.org/');
    expect((await guard.check(url)).kind).toBe('good');
    now = '127.0.0.1';
    expect(await guard.check(url)).toEqual({ kind: 'refused', because: 'address' });
  });
  test('that nobody knows is refused', async () => {
    expect(await check('https://a.example/', () => Promise.reject(new Error('ENOTFOUND')))).toMatchObject({
      because: 'unreachable',
    });
    expect(await check('https://a.example/', at())).toMatchObject({ because: 'unreachable' });
  });
  test('without TLS is refused unless the operator allows its host, with its port where one is named', async () => {
    expect(await check('http://app.example.org/', at('8.8.8.8'))).toMatchObject({ because: 'scheme' });
    expect((await check('http://app.internal:81/', at('10.0.0.1'), ['app.internal:81'])).kind).toBe('good');
    expect(await check('http://app.internal:82/', at('10.0.0.1'), ['app.internal:81'])).toMatchObject({
      because: 'scheme',
    });
    expect((await check('https://app.internal:82/', at('10.0.0.1'), ['app.internal'])).kind).toBe('good');
    expect((await check('https://app.internal/', at('10.0.0.1'), ['app.internal:443'])).kind).toBe('good');
    expect(await check('http://app.internal/', at('10.0.0.1'), ['app.internal:443'])).toMatchObject({
      because: 'scheme',
    });
    expect(await check('https://app.internal.evil.org/', at('10.0.0.1'), ['app.internal'])).toMatchObject({
      because: 'address',
    });
  });
});
