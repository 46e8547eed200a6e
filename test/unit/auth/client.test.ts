import { expect, test } from '@jest/globals';
import { isResourceType } from '../../../src/r4/index.ts';
import { parseRegistration } from '../../../src/auth/client.ts';

const good = { name: 'App', kind: 'public', scope: 'openid patient/*.rs', redirectUris: ['https://app.example/cb'] };
const key = { kty: 'EC', crv: 'P-384', kid: 'k', x: 'x', y: 'y' };
const backend = { name: 'B', kind: 'backend', scope: 'system/*.rs', jwks: { keys: [key] } };

test('a registration is taken as it is given, with the origins of its redirect URIs', () => {
  expect(parseRegistration({ ...good, origins: ['https://two.example'] }, isResourceType)).toEqual({
    ok: true,
    value: {
      id: null,
      ...good,
      launchUrl: null,
      origins: ['https://app.example', 'https://two.example'],
      jwks: null,
      jwksUri: null,
    },
  });
  expect(parseRegistration(backend, isResourceType).ok).toBe(true);
  for (const uri of ['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'org.example.app:/cb'])
    expect([uri, parseRegistration({ ...good, redirectUris: [uri] }, isResourceType).ok]).toEqual([uri, true]);
});

test.each([
  ['', null],
  ['', []],
  ['', { ...good, more: 1 }],
  ['name', { ...good, name: '' }],
  ['name', { ...good, name: 'a<b' }],
  ['kind', { ...good, kind: 'magic' }],
  ['scope', { ...good, scope: '' }],
  ['scope', { ...good, scope: 'nix' }],
  ['scope', { ...good, scope: 'system/*.rs' }],
  ['scope', { ...backend, scope: 'patient/*.rs' }],
  ['scope', { ...backend, scope: 'openid' }],
  ['scope', { ...backend, scope: 'system/Subscription.cruds?criteria=x' }],
  ['redirectUris', { ...good, redirectUris: [] }],
  ['redirectUris', { ...good, redirectUris: ['http://app.example/cb'] }],
  ['redirectUris', { ...good, redirectUris: ['https://app.example/cb#x'] }],
  ['redirectUris', { ...good, redirectUris: ['https://*.example/cb'] }],
  ['redirectUris', { ...good, redirectUris: ['https://a:b@app.example/cb'] }],
  ['redirectUris', { ...good, redirectUris: ['javascript:alert(1)'] }],
  ['redirectUris', { ...good, redirectUris: ['myapp:/cb'] }],
  ['redirectUris', { ...backend, redirectUris: ['https://app.example/cb'] }],
  ['launchUrl', { ...good, launchUrl: 'org.example.app:/launch' }],
  ['origins', { ...good, origins: ['https://app.example/'] }],
  ['origins', { ...good, origins: ['*'] }],
  ['jwks', { ...good, jwks: { keys: [key] } }],
  ['jwks', { ...backend, jwks: null }],
  ['jwks', { ...backend, jwks: { keys: [{ ...key, d: 'secret' }] } }],
  ['jwks', { ...backend, jwks: { keys: [{ ...key, kid: undefined }] } }],
  ['jwks', { ...backend, jwks: { keys: [{ ...key, crv: 'P-256' }] } }],
  ['jwks', { ...backend, jwks: { keys: [{ kty: 'oct', kid: 'k', k: 'x' }] } }],
  ['jwks', { ...backend, jwksUri: 'https://app.example/jwks' }],
  ['jwksUri', { ...backend, jwks: null, jwksUri: 'http://app.example/jwks' }],
])('a wrong %s is named', (field, given) => {
  expect(parseRegistration(given, isResourceType)).toEqual({ ok: false, fault: field });
});
