import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { groupsOf, makeAskProvider, type ProviderFlow } from '../../../src/factors/index.ts';
import { secret, systemClock } from '../../../src/kernel/index.ts';

/** A provider that answers whatever a test makes of a sound id token. */
let server: Server;
let issuer = '';
let keys: { privateKey: CryptoKey; publicKey: CryptoKey };
let stranger: CryptoKey;
let idToken: (claims: JWTPayload) => Promise<string> = () => Promise.resolve('');
let userinfo: Record<string, unknown> | null = null;
let metadata: Record<string, unknown> = {};
let flow: ProviderFlow | null = null;
let exchanged: URLSearchParams | null = null;

const sign = (claims: JWTPayload, key = keys.privateKey, kid = 'k1'): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key);

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  stranger = (await generateKeyPair('RS256')).privateKey;
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const answer = async (path: string, body: string): Promise<unknown> => {
    if (path === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        ...(userinfo === null ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        ...metadata,
      };
    if (path === '/jwks') return { keys: [jwk] };
    if (path === '/userinfo') return userinfo;
    exchanged = new URLSearchParams(body);
    const now = Math.floor(systemClock.now().getTime() / 1_000);
    const claims = { iss: issuer, sub: 'ada', aud: 'chartgate', iat: now, exp: now + 300, nonce: flow?.nonce ?? '' };
    return { access_token: 'x', token_type: 'Bearer', id_token: await idToken(claims) };
  };
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void answer(request.url ?? '', Buffer.concat(parts).toString()).then((value) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(value)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = () =>
  makeAskProvider({
    client: {
      issuer,
      clientId: 'chartgate',
      credential: { kind: 'secret', secret: secret('made-up') },
      scope: 'openid profile',
      backUrl: 'https://gateway.example/back',
    },
    fetch: (url, init) => fetch(url, init),
    chance: (count) => randomBytes(count),
    clock: systemClock,
  });

/** There and back, with what a test makes of the answer. */
async function comeBack(
  change: (query: URLSearchParams) => void = () => undefined,
  purpose: 'sign-in' | 'proof' = 'sign-in',
) {
  const provider = ask();
  const begun = await provider.begin(purpose);
  flow = begun.flow;
  const query = new URLSearchParams({ code: 'c', state: begun.flow.state });
  change(query);
  return provider.finish(query.toString(), begun.flow, ['npi']);
}

test('a sound answer tells who came, by a code that is bound to what we kept', async () => {
  idToken = (claims) => sign({ ...claims, npi: '1' });
  expect(await comeBack()).toMatchObject({ sub: 'ada', npi: '1' });
  expect(exchanged?.get('code_verifier')).toBe(flow?.verifier);
  const { to } = await ask().begin('proof');
  const asked = new URL(to).searchParams;
  expect(['prompt', 'max_age', 'code_challenge_method'].map((name) => asked.get(name))).toEqual(['login', '0', 'S256']);
});

test.each<[string, (claims: JWTPayload) => Promise<string>]>([
  ['the nonce of another flow', (claims) => sign({ ...claims, nonce: 'x'.repeat(43) })],
  ['no nonce', ({ nonce: _nonce, ...claims }) => sign(claims)],
  ['another issuer', (claims) => sign({ ...claims, iss: 'https://idp.evil.example' })],
  ['another audience', (claims) => sign({ ...claims, aud: 'somebody-else' })],
  ['several audiences and another party', (claims) => sign({ ...claims, aud: ['chartgate', 'x'], azp: 'x' })],
  ['an end that is over', (claims) => sign({ ...claims, exp: 1_000 })],
  ['no subject', ({ sub: _sub, ...claims }) => sign(claims)],
  ['a signature of a stranger', (claims) => sign(claims, stranger)],
  ['a key that nobody published', (claims) => sign(claims, stranger, 'k2')],
  ['no signature', (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())],
  ['no id token', () => Promise.resolve('')],
])('an answer with %s is none', async (_what, made) => {
  idToken = made;
  await expect(comeBack()).rejects.toThrow();
});

test.each<[string, (query: URLSearchParams) => void]>([
  ['another state', (query) => query.set('state', 'x')],
  ['no state', (query) => query.delete('state')],
  ['two states', (query) => query.append('state', query.get('state') ?? '')],
  ['no code', (query) => query.delete('code')],
  ['an error', (query) => query.set('error', 'access_denied')],
  ['another issuer, though nobody asked for it', (query) => query.set('iss', 'https://idp.evil.example')],
])('a return with %s is none', async (_what, change) => {
  idToken = (claims) => sign(claims);
  await expect(comeBack(change)).rejects.toThrow();
});

test('who must prove anew who they are has done so just now', async () => {
  const now = Math.floor(systemClock.now().getTime() / 1_000);
  idToken = (claims) => sign({ ...claims, auth_time: now - 3_600 });
  await expect(comeBack(undefined, 'proof')).rejects.toThrow();
  idToken = (claims) => sign(claims);
  await expect(comeBack(undefined, 'proof')).rejects.toThrow();
  idToken = (claims) => sign({ ...claims, auth_time: now });
  expect(await comeBack(undefined, 'proof')).toMatchObject({ sub: 'ada' });
});

test('what the id token does not say is asked of userinfo, which must be of the same person and cannot gainsay it', async () => {
  idToken = (claims) => sign({ ...claims, groups: ['a'] });
  userinfo = { sub: 'ada', npi: '7', groups: ['b'] };
  expect(await comeBack()).toMatchObject({ npi: '7', groups: ['a'] });
  userinfo = { sub: 'eve', npi: '7' };
  await expect(comeBack()).rejects.toThrow();
  userinfo = null;
});

test('a provider that calls itself otherwise than configured is not asked at all', async () => {
  metadata = { issuer: 'https://idp.evil.example' };
  await expect(ask().begin('sign-in')).rejects.toThrow();
  metadata = {};
  expect(await ask().endSessionUrl('https://gateway.example/out')).toBeNull();
});

test('a provider that stands for every tenant is not asked, whatever tenant an id token would name', async () => {
  const at = 'https://login.microsoftonline.com/common/v2.0';
  const many = {
    issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    authorization_endpoint: `${at}/authorize`,
  };
  const provider = makeAskProvider({
    client: {
      issuer: at,
      clientId: 'chartgate',
      credential: { kind: 'secret', secret: secret('made-up') },
      scope: 'openid',
      backUrl: 'https://gateway.example/back',
    },
    fetch: () => Promise.resolve(Response.json(many)),
    chance: (count) => randomBytes(count),
    clock: systemClock,
  });
  await expect(provider.begin('sign-in')).rejects.toThrow('another issuer');
});

test('groups are texts, one or several', () => {
  expect([groupsOf('a'), groupsOf(['a', 1, 'b']), groupsOf({ a: 1 }), groupsOf(undefined)]).toEqual([
    ['a'],
    ['a', 'b'],
    [],
    [],
  ]);
});
