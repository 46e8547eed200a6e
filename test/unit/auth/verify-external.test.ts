import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportJWK, SignJWT } from 'jose';
import { makeVerifyExternal } from '../../../src/auth/verify-external.ts';

const FHIR = 'https://gateway.example/fhir';
const START = Date.parse('2026-11-15T08:00:00Z');
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let keys: unknown[] = [];
const server = createServer((_req, res) =>
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
);
let issuer = '';
beforeAll(async () => {
  keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }];
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test('a token that held is not believed after its end, however short ago that was', async () => {
  let ms = START;
  const denied: string[] = [];
  const verify = makeVerifyExternal({
    external: { issuer, origins: [], userClaim: 'fhirUser', check: { by: 'keys', jwksUrl: `${issuer}/jwks` } },
    fhirBase: FHIR,
    ehrBase: 'https://ehr.example/r4',
    clock: { now: () => new Date(ms), monotonicMs: () => ms - START },
    deny: (why) => void denied.push(why),
  });
  const token = await new SignJWT({ scope: 'patient/*.rs', client_id: 'app', patient: 'p' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(FHIR)
    .setSubject('u')
    .setJti('j')
    .setIssuedAt(START / 1000)
    .setExpirationTime(START / 1000 + 60)
    .sign(privateKey);
  const isGood = async (): Promise<boolean> => (await verify(`Bearer ${token}`)).ok;
  expect([await isGood(), await isGood()]).toEqual([true, true]);
  const forged = `${token.slice(0, -10)}${token.at(-10) === 'A' ? 'B' : 'A'}${token.slice(-9)}`;
  expect((await verify(`Bearer ${forged}`)).ok).toBe(false);
  ms = START + 59_000;
  expect(await isGood()).toBe(true);
  ms = START + 66_000;
  expect(await isGood()).toBe(false);
  expect(denied).toEqual(['err_jws_signature_verification_failed', 'err_jwt_expired']);
});
