import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { loadClientKey } from '../../../src/ehr/load-client-key.ts';
import { makeJwksRoute, publicJwks } from '../../../src/ehr/publish-jwks.ts';
import { secret } from '../../../src/kernel/index.ts';

const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const ecKey = ec('P-384');
const rsaKey = rsa(2048);

test.each([
  ['EC on P-384 in PKCS 8', ecKey.export({ type: 'pkcs8', format: 'pem' }), 'ES384'],
  ['EC on P-384 in SEC 1', ecKey.export({ type: 'sec1', format: 'pem' }), 'ES384'],
  ['EC on P-384 as JWK', JSON.stringify(ecKey.export({ format: 'jwk' })), 'ES384'],
  ['RSA in PKCS 8', rsaKey.export({ type: 'pkcs8', format: 'pem' }), 'RS384'],
  ['RSA as JWK', JSON.stringify(rsaKey.export({ format: 'jwk' })), 'RS384'],
])('%s signs by its algorithm, and its public half is all that is published', async (_what, text, alg) => {
  const key = loadClientKey(secret(String(text)));
  expect(key.alg).toBe(alg);
  const [published = {}] = publicJwks(key).keys;
  expect(published).toMatchObject({ alg, use: 'sig', kid: await calculateJwkThumbprint(key.publicJwk) });
  expect(Object.keys(published).filter((name) => PRIVATE_MEMBERS.includes(name))).toEqual([]);
});

test('a JWK keeps the kid under which it was registered', () => {
  expect(loadClientKey(secret(JSON.stringify({ ...ecKey.export({ format: 'jwk' }), kid: 'ours-2026' }))).kid).toBe(
    'ours-2026',
  );
});

test.each([
  ['RSA of 1024 bits', () => String(rsa(1024).export({ type: 'pkcs8', format: 'pem' }))],
  ['EC on P-256', () => String(ec('P-256').export({ type: 'pkcs8', format: 'pem' }))],
  ['a public key', () => JSON.stringify({ kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' })],
  ['no key', () => 'MARK' + 'ER'],
  ['broken JSON', () => '{"MARK' + 'ER"'],
])('%s stops the start, without a word of the key', (_what, text) => {
  try {
    loadClientKey(secret(text()));
    throw new Error('it was taken');
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'StartError', code: 'ehr.key' });
    expect(inspect(thrown)).not.toContain('MARKER');
    expect((thrown as Error).cause).toBeUndefined();
  }
});

test('the key set is served as it is, and is empty where nothing is signed', async () => {
  const route = makeJwksRoute(publicJwks(loadClientKey(secret(JSON.stringify(ecKey.export({ format: 'jwk' }))))));
  expect([route.method, route.path, route.access]).toEqual(['get', '/.well-known/jwks.json', 'open']);
  const answer = await route.handle({} as never);
  expect(answer).toMatchObject({ ok: true, value: { status: 200 } });
  expect(publicJwks(null)).toEqual({ keys: [] });
});
