import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { loadClientKeys } from '../../../src/ehr/load-client-key.ts';
import { makeJwksRoutes, publicJwks } from '../../../src/ehr/publish-jwks.ts';
import { rotateClientKeys } from '../../../src/ehr/rotate-client-keys.ts';
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
  const keys = loadClientKeys(secret(String(text)));
  const [key] = keys;
  expect(key.alg).toBe(alg);
  const [published = {}] = publicJwks(keys).keys;
  expect(published).toMatchObject({ alg, use: 'sig', kid: await calculateJwkThumbprint(key.publicJwk) });
  expect(Object.keys(published).filter((name) => PRIVATE_MEMBERS.includes(name))).toEqual([]);
});

test('a JWK keeps the kid under which it was registered', () => {
  expect(loadClientKeys(secret(JSON.stringify({ ...ecKey.export({ format: 'jwk' }), kid: 'ours-2026' })))[0].kid).toBe(
    'ours-2026',
  );
});

test.each([
  ['RSA of 1024 bits', () => String(rsa(1024).export({ type: 'pkcs8', format: 'pem' }))],
  ['EC on P-256', () => String(ec('P-256').export({ type: 'pkcs8', format: 'pem' }))],
  ['a public key', () => JSON.stringify({ kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' })],
  ['no key', () => 'MARK' + 'ER'],
  ['a set without a key', () => '{"keys":[]}'],
  [
    'a set of one key twice',
    () => JSON.stringify({ keys: [ecKey.export({ format: 'jwk' }), ecKey.export({ format: 'jwk' })] }),
  ],
  ['broken JSON', () => '{"MARK' + 'ER"'],
])('%s stops the start, without a word of the key', (_what, text) => {
  try {
    loadClientKeys(secret(text()));
    throw new Error('it was taken');
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'StartError', code: 'ehr.key' });
    expect(inspect(thrown)).not.toContain('MARKER');
    expect((thrown as Error).cause).toBeUndefined();
  }
});

test('the key set is served at both addresses, and is empty where nothing is signed', async () => {
  const jwks = publicJwks(loadClientKeys(secret(JSON.stringify(ecKey.export({ format: 'jwk' })))));
  const routes = makeJwksRoutes(jwks);
  expect(routes.map(({ method, path, access }) => [method, path, access])).toEqual([
    ['get', '/ehr/jwks.json', 'open'],
    ['get', '/.well-known/jwks.json', 'open'],
  ]);
  for (const route of routes)
    expect(await route.handle({} as never)).toMatchObject({
      ok: true,
      value: { status: 200, headers: { 'Cache-Control': 'public, max-age=300' }, body: JSON.stringify(jwks) },
    });
  expect(publicJwks(null)).toEqual({ keys: [] });
});

test.each([
  ['ES384', ecKey],
  ['RS384', rsaKey],
])('keys of %s change with an overlap: who signs was published before, and stays so after', (alg, first) => {
  const kidsOf = (keys: ReturnType<typeof loadClientKeys>) => keys.map(({ kid }) => kid);
  const given = loadClientKeys(secret(String(first.export({ type: 'pkcs8', format: 'pem' }))));
  const announced = rotateClientKeys(given);
  const one = loadClientKeys(announced.set);
  const changed = rotateClientKeys(one);
  const two = loadClientKeys(changed.set);
  const three = loadClientKeys(rotateClientKeys(two).set);
  expect([announced.did, changed.did]).toEqual(['announced', 'changed']);
  expect([one, two, three].flat().every((key) => key.alg === alg)).toBe(true);
  const [p = '', n = ''] = kidsOf(one);
  expect([p, kidsOf(two)[0], kidsOf(two)[2]]).toEqual([given[0].kid, n, p]);
  expect([kidsOf(three)[0], kidsOf(three)[2], kidsOf(three).includes(p)]).toEqual([kidsOf(two)[1], n, false]);
  expect(new Set(kidsOf(three)).size).toBe(3);
});
