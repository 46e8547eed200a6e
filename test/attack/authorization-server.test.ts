import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose';
import { ask, headerOf, type Answered } from './support/ask.ts';
import {
  ASSERTION_TYPE,
  assertionOf,
  ASSERTIONS,
  AUTHORIZE,
  BACKEND,
  basicOf,
  CHALLENGE,
  formOf,
  PUBLIC_APP,
  REDIRECT,
  SECRET_APP,
  STATE,
  TOKEN,
  TWO_KEYS,
  withIds,
  type AssertionKit,
  type Changes,
} from './support/authorization-attacks.ts';
import { startHostileEhr, type HostileEhr } from './support/hostile-ehr.ts';
import { startIssuer, type Issuer } from './support/issuer.ts';
import { ADMIN_TOKEN, startAt } from './support/start-attacked.ts';
import { MRN_SYSTEM } from './support/world.ts';

interface Discovered {
  readonly issuer?: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly introspection_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly jwks_uri?: string;
  readonly code_challenge_methods_supported: readonly string[];
  readonly response_types_supported?: readonly string[];
  readonly grant_types_supported: readonly string[];
}

let ehr: HostileEhr;
/** Only its lure is used: an address that nobody may fetch. */
let lure: Issuer;
let running: Awaited<ReturnType<typeof startAt>>;
let found: Discovered;
let kit: AssertionKit;
let isTwoKeysRegistered: boolean;
const ids = new Map<string, string>();
const idOfApp = (name: string): string => ids.get(name) ?? name;

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);
const get = (path: string, headers: readonly (readonly [string, string])[] = []): Promise<Answered> =>
  ask(running.gateway.port, { path, headers });
const post = (path: string, body: string, headers: readonly (readonly [string, string])[] = []): Promise<Answered> =>
  ask(running.gateway.port, {
    method: 'POST',
    path,
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...headers],
    body,
  });

const register = (client: Readonly<Record<string, unknown>>): Promise<Answered> =>
  ask(running.gateway.port, {
    method: 'POST',
    path: '/admin/api/clients',
    headers: [
      ['Authorization', `Bearer ${ADMIN_TOKEN}`],
      ['Content-Type', 'application/json'],
    ],
    body: JSON.stringify(client),
  });

const published = async (key: CryptoKey): Promise<unknown> => ({
  ...(await exportJWK(key)),
  kid: 'backend-1',
  alg: 'ES384',
  use: 'sig',
});

beforeAll(async () => {
  [ehr, lure] = await Promise.all([startHostileEhr(), startIssuer()]);
  running = await startAt(() => ({ CHARTGATE_EHR_URL: ehr.base, CHARTGATE_MRN_SYSTEM: MRN_SYSTEM }));
  const [key, stranger] = await Promise.all([1, 2].map(() => generateKeyPair('ES384', { extractable: true })));
  if (key === undefined || stranger === undefined) throw new Error('no keys');
  found = JSON.parse((await get('/fhir/.well-known/smart-configuration')).body) as Discovered;
  kit = {
    ids,
    key: key.privateKey,
    stranger: stranger.privateKey,
    tokenUrl: found.token_endpoint,
    issuer: found.issuer ?? '',
    lureUrl: lure.lureUrl,
  };
  const app = { redirectUris: [REDIRECT], scope: 'launch/patient openid fhirUser patient/Observation.rs' };
  const backend = { kind: 'backend', scope: 'system/Observation.rs' };
  const apps: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    [PUBLIC_APP, { name: 'Public', kind: 'public', ...app }],
    [SECRET_APP, { name: 'Symmetric', kind: 'symmetric', ...app }],
    [BACKEND, { name: 'Backend', ...backend, jwks: { keys: [await published(key.publicKey)] } }],
  ];
  for (const [name, registration] of apps) {
    const answer = await register(registration);
    expect(answer.status).toBe(201);
    ids.set(name, (JSON.parse(answer.body) as { id: string }).id);
  }
  const two = await register({
    name: 'Two keys of one name',
    ...backend,
    jwks: { keys: [await published(stranger.publicKey), await published(key.publicKey)] },
  });
  isTwoKeysRegistered = two.status < 300;
  if (isTwoKeysRegistered) ids.set(TWO_KEYS, (JSON.parse(two.body) as { id: string }).id);
});
afterAll(async () => {
  await running.stop();
  await Promise.all([ehr.close(), lure.close()]);
});

describe('discovery', () => {
  test.each(['application/json', 'text/html', 'application/fhir+xml', '*/*'])(
    'is JSON whatever is accepted: %s',
    async (accept) => {
      const answer = await get('/fhir/.well-known/smart-configuration', [['Accept', accept]]);
      expect([answer.status, headerOf(answer, 'content-type')?.split(';')[0]]).toEqual([200, 'application/json']);
    },
  );

  test('offers nothing weak, and every address is ours', () => {
    expect(found.code_challenge_methods_supported).toEqual(['S256']);
    expect(found.registration_endpoint).toBeUndefined();
    for (const type of found.response_types_supported ?? ['code']) expect(type).toBe('code');
    for (const grant of found.grant_types_supported)
      expect(['authorization_code', 'client_credentials', 'refresh_token']).toContain(grant);
    for (const [name, value] of Object.entries(found))
      if (/_endpoint$|_uri$|^issuer$/.test(name)) expect(String(value).startsWith(running.publicUrl)).toBe(true);
  });

  test('is not moved by the headers of a proxy that is not trusted', async () => {
    const answer = await get('/fhir/.well-known/smart-configuration', [
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Proto', 'https'],
      ['Forwarded', 'host=evil.example'],
    ]);
    expect(JSON.parse(answer.body)).toEqual(found);
  });
});

const sound = (): Readonly<Record<string, string>> => ({
  response_type: 'code',
  client_id: idOfApp(PUBLIC_APP),
  redirect_uri: REDIRECT,
  scope: 'launch/patient openid fhirUser patient/Observation.rs',
  state: STATE,
  aud: `${running.publicUrl}/fhir`,
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
});

const filled = (changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => {
      const fill = (text: string): string => text.replace('{aud}', `${running.publicUrl}/fhir`);
      return [name, value === null ? null : typeof value === 'string' ? fill(value) : value.map(fill)];
    }),
  );

/** Everything that is wrong with where the answer leads. */
function judgeReturn(answer: Answered, expected: 'stays' | 'no-code', isStateSent: boolean): string[] {
  const wrong: string[] = [];
  const location = headerOf(answer, 'location');
  if (answer.status >= 500) wrong.push(`status ${answer.status}`);
  if (headerOf(answer, 'x-attack') !== undefined) wrong.push('a header was injected');
  if (location === undefined) {
    if (answer.status < 400) wrong.push(`status ${answer.status} without a redirect`);
    // A page that posts itself elsewhere is a redirect too.
    if (/action="(?!\/)[^"]*"|http-equiv="refresh"|window\.location/i.test(answer.body))
      wrong.push('a page that leads away');
    if (/evil\.example/.test(answer.body.replace(/<[^>]*>/g, '')) && /href="https?:\/\/evil/.test(answer.body))
      wrong.push('a link');
    return wrong;
  }
  if (expected === 'stays') return [...wrong, `leads to ${location}`];
  const [address = '', query = ''] = location.split(/[?#]/);
  const params = new URLSearchParams(query);
  if (address !== REDIRECT) wrong.push(`leads to ${location}`);
  for (const name of ['code', 'access_token', 'id_token']) if (params.has(name)) wrong.push(`gives ${name}`);
  if (!params.has('error')) wrong.push('no error');
  if (isStateSent && params.get('state') !== STATE) wrong.push('not the state');
  return wrong;
}

describe('the authorization endpoint', () => {
  test.each(['GET', 'POST'])('takes a sound request to a sign-in of ours (%s)', async (method) => {
    const path = pathOf(found.authorization_endpoint);
    const form = formOf(sound(), {});
    const answer = method === 'GET' ? await get(`${path}?${form}`) : await post(path, form);
    expect([302, 303]).toContain(answer.status);
    const location = new URL(headerOf(answer, 'location') ?? '', running.publicUrl);
    expect(location.origin).toBe(running.publicUrl);
    expect(location.search).not.toContain('error=');
  });

  test.each(AUTHORIZE)('refuses %s', async (_, expected, changes) => {
    const path = pathOf(found.authorization_endpoint);
    const form = formOf(sound(), withIds(ids, filled(changes)));
    const isStateSent = changes['state'] === undefined;
    expect(judgeReturn(await get(`${path}?${form}`), expected, isStateSent)).toEqual([]);
    // A form comes without our cookies, so that it is answered by the way to ask the same by oneself. Whoever goes it
    // is refused.
    const posted = await post(path, form);
    const again = headerOf(posted, 'location') ?? '';
    const isSame = posted.status === 303 && again === `${found.authorization_endpoint}?${form}`;
    expect(judgeReturn(isSame ? await get(pathOf(again)) : posted, expected, isStateSent)).toEqual([]);
  });
});

const errorOf = (answer: Answered): string => {
  try {
    return (JSON.parse(answer.body) as { error?: string }).error ?? '';
  } catch {
    return 'no JSON';
  }
};
const isWithoutToken = (answer: Answered): boolean => !/access_token|id_token|refresh_token"/.test(answer.body);

describe('the token endpoint', () => {
  test.each(TOKEN.map((row) => [row.name, row] as const))('refuses %s', async (_, row) => {
    const { form, basic, statuses, errors } = row;
    const headers = basic === undefined ? row.headers : [basicOf(idOfApp(basic[0]), basic[1])];
    const answer = await post(pathOf(found.token_endpoint), formOf({}, withIds(ids, form)), headers);
    expect(statuses).toContain(answer.status);
    if (errors !== undefined) expect(errors).toContain(errorOf(answer));
    expect(errorOf(answer)).not.toBe('');
    expect(isWithoutToken(answer)).toBe(true);
    const isBasic = headers?.some(([, value]) => value.startsWith('Basic')) === true;
    if (answer.status === 401 && isBasic) expect(headerOf(answer, 'www-authenticate')).toMatch(/^Basic/i);
    expect(headerOf(answer, 'cache-control')).toMatch(/no-store/);
  });

  test('takes no GET and no JSON', async () => {
    const path = pathOf(found.token_endpoint);
    const form = formOf({ grant_type: 'client_credentials', client_id: idOfApp(BACKEND) }, {});
    const answers = [
      await get(`${path}?${form}`),
      await ask(running.gateway.port, {
        method: 'POST',
        path,
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: idOfApp(BACKEND) }),
      }),
      await post(`${path}?${form}`, ''),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
  });

  test('does not let another origin read its answer', async () => {
    for (const method of ['POST', 'OPTIONS']) {
      const answer = await ask(running.gateway.port, {
        method,
        path: pathOf(found.token_endpoint),
        headers: [
          ['Origin', 'https://evil.example'],
          ['Access-Control-Request-Method', 'POST'],
          ['Content-Type', 'application/x-www-form-urlencoded'],
        ],
        ...(method === 'POST' ? { body: `grant_type=authorization_code&code=x&client_id=${idOfApp(PUBLIC_APP)}` } : {}),
      });
      expect(headerOf(answer, 'access-control-allow-origin') ?? 'none').toBe('none');
    }
  });
});

const claimToken = async (assertion: string, more: Changes = {}): Promise<Answered> =>
  post(
    pathOf(found.token_endpoint),
    formOf(
      {
        grant_type: 'client_credentials',
        scope: 'system/Observation.rs',
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: assertion,
      },
      withIds(ids, more),
    ),
  );

describe('a backend', () => {
  test.each([
    ['the token endpoint', assertionOf()],
    ['the issuer', assertionOf(({ issuer, tokenUrl }) => ({ aud: issuer === '' ? tokenUrl : issuer }))],
    ['one address in a list', assertionOf(({ tokenUrl }) => ({ aud: [tokenUrl] }))],
  ])('with a sound proof for %s gets a short token and nothing to refresh it', async (_, assertion) => {
    const answer = await claimToken(await assertion(kit));
    expect(answer.status).toBe(200);
    const body = JSON.parse(answer.body) as Record<string, unknown>;
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'system/Observation.rs' });
    expect(body['expires_in']).toBeLessThanOrEqual(300);
    expect(body['refresh_token']).toBeUndefined();
    expect([headerOf(answer, 'cache-control'), headerOf(answer, 'pragma')]).toEqual(['no-store', 'no-cache']);
  });

  test.each(ASSERTIONS)('is refused with %s', async (_, assertion) => {
    const answer = await claimToken(await assertion(kit));
    expect([400, 401]).toContain(answer.status);
    expect(['invalid_client', 'invalid_request']).toContain(errorOf(answer));
    expect(isWithoutToken(answer)).toBe(true);
  });

  test('is refused when a proof comes twice', async () => {
    const assertion = await assertionOf()(kit);
    expect((await claimToken(assertion)).status).toBe(200);
    const again = await claimToken(assertion);
    expect([400, 401]).toContain(again.status);
    expect(errorOf(again)).toBe('invalid_client');
  });

  test('is refused when a proof comes twice at once', async () => {
    const assertion = await assertionOf()(kit);
    const answers = await Promise.all(Array.from({ length: 6 }, () => claimToken(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is refused when two of its keys have one name', async () => {
    if (!isTwoKeysRegistered) return;
    const answer = await claimToken(await assertionOf(() => ({ iss: TWO_KEYS, sub: TWO_KEYS }))(kit));
    expect([400, 401]).toContain(answer.status);
    expect(errorOf(answer)).toBe('invalid_client');
  });

  test.each<readonly [string, Changes]>([
    ['another type of proof', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ['no type of proof', { client_assertion_type: null }],
    ['another app beside the proof', { client_id: PUBLIC_APP }],
    ['a scope that it has not', { scope: 'system/Patient.rs' }],
    ['a scope that is wider', { scope: 'system/*.cruds' }],
    ['a scope of a patient', { scope: 'patient/Observation.rs' }],
    ['no scope', { scope: null }],
    ['two scopes', { scope: ['system/Observation.rs', 'system/*.rs'] }],
    ['a counterfeit resource', { resource: 'https://evil.example/fhir' }],
  ])('is refused, or given no more than it has, with %s', async (_, more) => {
    const answer = await claimToken(await assertionOf()(kit), more);
    if (answer.status === 200) {
      const { scope } = JSON.parse(answer.body) as { scope?: string };
      expect(['', 'system/Observation.rs']).toContain(scope ?? '');
      return;
    }
    expect([400, 401]).toContain(answer.status);
    expect(isWithoutToken(answer)).toBe(true);
  });

  test('has nobody fetch the keys that a proof names', () => {
    expect(lure.lured()).toBe(0);
  });
});

describe('what is told about tokens', () => {
  test('nothing, without credentials', async () => {
    const { introspection_endpoint: endpoint } = found;
    if (endpoint === undefined) return;
    for (const headers of [[], [['Authorization', 'Bearer garbage']], [['Authorization', 'Basic !!!']]] as const) {
      const answer = await post(pathOf(endpoint), 'token=x', headers);
      expect([400, 401, 403]).toContain(answer.status);
      expect(answer.body).not.toContain('"active":true');
    }
    const answer = await post(pathOf(endpoint), `token=x&client_id=${idOfApp(PUBLIC_APP)}`);
    expect(answer.body).not.toContain('"active":true');
  });

  test('nothing of one that does not exist, to a backend', async () => {
    const { introspection_endpoint: endpoint } = found;
    if (endpoint === undefined) return;
    const form = formOf(
      { token: 'nobodys', client_assertion_type: ASSERTION_TYPE, client_assertion: await assertionOf()(kit) },
      {},
    );
    const answer = await post(pathOf(endpoint), form);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { active: false }]);
  });

  test('a backend cannot revoke what it does not know, and nobody without credentials can', async () => {
    const { revocation_endpoint: endpoint } = found;
    if (endpoint === undefined) return;
    expect([400, 401]).toContain((await post(pathOf(endpoint), 'token=x')).status);
  });
});

describe('nobody registers by themselves', () => {
  test.each([
    '/auth/reg',
    '/auth/register',
    '/auth/registration',
    '/auth/clients',
    '/fhir/register',
    '/register',
    '/connect/register',
  ])('%s', async (path) => {
    const answer = await ask(running.gateway.port, {
      method: 'POST',
      path,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ redirect_uris: ['https://evil.example/callback'], client_name: 'evil' }),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toMatch(/client_secret|registration_access_token/);
  });

  test.each<readonly [string, readonly (readonly [string, string])[]]>([
    ['without a token', []],
    ['with a wrong one', [['Authorization', 'Bearer wrong']]],
  ])('at the admin API %s', async (_, headers) => {
    const answer = await ask(running.gateway.port, {
      method: 'POST',
      path: '/admin/api/clients',
      headers: [['Content-Type', 'application/json'], ...headers],
      body: JSON.stringify({ name: 'evil', kind: 'public', redirectUris: [REDIRECT], scope: 'openid' }),
    });
    expect(answer.status).toBe(401);
  });

  test.each([
    ['a script', ['javascript:alert(1)']],
    ['data', ['data:text/html,x']],
    ['a fragment', ['https://app.example.org/callback#x']],
    ['a star', ['https://*.example.org/callback']],
    ['no address', ['callback']],
    ['none', []],
  ])('not even the operator registers a return address that is %s', async (_, uris) => {
    const answer = await register({ name: 'Odd', kind: 'public', redirectUris: uris, scope: 'openid' });
    expect(answer.status).toBe(400);
  });
});

describe('an access token of ours', () => {
  test('for one server of ours is no key to the admin API, nor to a patient without a link', async () => {
    const answer = await claimToken(await assertionOf()(kit));
    expect(answer.status).toBe(200);
    const { access_token: token } = JSON.parse(answer.body) as { access_token: string };
    const bearer = [['Authorization', `Bearer ${token}`]] as const;
    expect((await get('/admin/api/links', bearer)).status).toBe(401);
    expect((await get('/fhir/Patient/idcharl', bearer)).status).toBe(403);
    expect((await get('/fhir/Observation/idcharl-obs', bearer)).status).toBe(404);
  });

  test('is not in the log, nor is a proof', async () => {
    const proof = await assertionOf()(kit);
    const { access_token: token } = JSON.parse((await claimToken(proof)).body) as { access_token: string };
    const log = running.logText();
    for (const one of [proof, token]) expect(log).not.toContain(one.split('.').at(-1));
  });
});

test('another origin cannot read the FHIR API, though anybody may read discovery', async () => {
  const origin = [['Origin', 'https://evil.example']] as const;
  expect(headerOf(await get('/fhir/Patient/idalpha', origin), 'access-control-allow-origin') ?? 'none').toBe('none');
  for (const path of ['/fhir/metadata', '/fhir/.well-known/smart-configuration']) {
    const answer = await get(path, origin);
    expect(['*', 'https://evil.example']).toContain(headerOf(answer, 'access-control-allow-origin'));
    expect(headerOf(answer, 'access-control-allow-credentials')).not.toBe('true');
  }
});
