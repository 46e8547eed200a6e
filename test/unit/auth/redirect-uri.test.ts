import { expect, test } from '@jest/globals';
import { isRedirectAllowed } from '../../../src/auth/redirect-uri.ts';

const redirectUris = [
  'http://127.0.0.1/cb',
  'http://[::1]/cb',
  'http://127.0.0.1:4000/fixed',
  'http://localhost/cb',
  'https://app.example/cb',
];
const native = { kind: 'public', redirectUris } as const;

test.each([...redirectUris, 'http://127.0.0.1:1/cb', 'http://127.0.0.1:51004/cb', 'http://[::1]:65535/cb'])(
  'a native app may be led back to %s',
  (uri) => {
    expect(isRedirectAllowed(native, uri)).toBe(true);
  },
);

test.each([
  'http://127.0.0.1:80@evil.example/cb',
  'http://127.0.0.1:80@evil.example:80/cb',
  'http://127.0.0.1@evil.example/cb',
  'http://127.0.0.1:51004@/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://127.0.0.1:51004.evil.example/cb',
  'http://127.0.0.1:/cb',
  'http://127.0.0.1:0/cb',
  'http://127.0.0.1:080/cb',
  'http://127.0.0.1:65536/cb',
  'http://127.0.0.1:51004',
  'http://127.0.0.1:51004/',
  'http://127.0.0.1:51004/cb/',
  'http://127.0.0.1:51004/cb?x=1',
  'http://127.0.0.1:51004/cb#x',
  'http://127.0.0.1:51004/x/../cb',
  'http://127.0.0.1:51004//evil.example/cb',
  'http://127.0.0.1:51004\\@evil.example/cb',
  'http://127.0.0.1:51004 /cb',
  'http://127.0.0.1:51004/cb\n',
  'http://127.0.0.2:51004/cb',
  'http://127.1:51004/cb',
  'http://2130706433:51004/cb',
  'http://[::ffff:127.0.0.1]:51004/cb',
  'http://[0:0:0:0:0:0:0:1]:51004/cb',
  'http://localhost:51004/cb',
  'https://127.0.0.1:51004/cb',
  'HTTP://127.0.0.1:51004/cb',
  'http://127.0.0.1:4001/fixed',
  'https://app.example:8443/cb',
])('and not to %s', (uri) => {
  expect(isRedirectAllowed(native, uri)).toBe(false);
});

test.each(['symmetric', 'asymmetric'] as const)('an app that is %s has its registered addresses alone', (kind) => {
  expect(isRedirectAllowed({ kind, redirectUris }, 'http://127.0.0.1:51004/cb')).toBe(false);
  expect(isRedirectAllowed({ kind, redirectUris }, 'http://127.0.0.1/cb')).toBe(true);
});
