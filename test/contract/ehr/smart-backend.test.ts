import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import type { Ehr, EhrAuth } from '../../../src/ehr/index.ts';
import { secret, systemClock, type Clock } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';
import {
  anEhr,
  anOddServer,
  answerJson,
  CREATE,
  pem,
  READ,
  shortOf,
  type Misbehave,
  type OddServer,
} from './support.ts';

const ecKey = String(
  generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
const rsaKey = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);

const smart = (tokenUrl: string | null, privateKey = ecKey): EhrAuth => ({
  kind: 'smart-backend',
  clientId: 'our-client',
  privateKey: secret(privateKey),
  tokenUrl,
  scope: 'system/Observation.cruds',
});

/** Gives `token-1`, `token-2`, … to whoever sends a form; `expiresIn` seconds each. */
function tokenGiver(expiresIn: unknown = 300, more: object = {}): Misbehave {
  let given = 0;
  return (_heard, res) => {
    given += 1;
    answerJson(res, 200, { access_token: `token-${given}`, token_type: 'bearer', expires_in: expiresIn, ...more });
  };
}

/** Takes the tokens of `good` only. */
const fhirServer = (good: (authorization: string | undefined) => boolean): Promise<OddServer> =>
  anOddServer((heard, res) =>
    answerJson(res, good(heard.headers.authorization) ? 200 : 401, { resourceType: 'Patient' }),
  );

async function setUp(misbehave: Misbehave = tokenGiver(), clock: Clock = systemClock, key = ecKey) {
  const tokens = await anOddServer(misbehave);
  const fhir = await fhirServer((authorization) => authorization !== undefined);
  const ehr = anEhr(fhir.base, { auth: smart(`${tokens.origin}/token`, key), clock });
  return { tokens, fhir, ehr };
}

const formOf = (server: OddServer, at = 0): URLSearchParams => new URLSearchParams(server.heard[at]?.body ?? '');

async function verify(ehr: Ehr, server: OddServer, at = 0): Promise<JWTPayload> {
  const { payload } = await jwtVerify(
    formOf(server, at).get('client_assertion') ?? '',
    createLocalJWKSet(JSON.parse(JSON.stringify(ehr.publicJwks)) as JSONWebKeySet),
    { audience: `${server.origin}/token`, issuer: 'our-client', subject: 'our-client', algorithms: ['RS384', 'ES384'] },
  );
  return payload;
}

describe('the assertion', () => {
  test.each([
    ['ES384', ecKey],
    ['RS384', rsaKey],
  ])(
    '%s: is signed by the published key, for this endpoint, by and about us, for at most five minutes, once',
    async (alg, key) => {
      const { ehr, tokens } = await setUp(tokenGiver(), systemClock, key);
      expect((await ehr.send(READ)).verdict.kind).toBe('ok');
      const form = formOf(tokens);
      expect([...form.keys()].sort()).toEqual(['client_assertion', 'client_assertion_type', 'grant_type', 'scope']);
      expect([form.get('grant_type'), form.get('scope'), form.get('client_assertion_type')]).toEqual([
        'client_credentials',
        'system/Observation.cruds',
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ]);
      expect(decodeProtectedHeader(form.get('client_assertion') ?? '')).toEqual({
        alg,
        typ: 'JWT',
        kid: ehr.publicJwks.keys[0]?.['kid'],
      });
      const { iat = 0, exp = 0, jti = '', aud } = await verify(ehr, tokens);
      expect(exp - iat).toBeGreaterThan(0);
      expect(exp - iat).toBeLessThanOrEqual(300);
      expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(30);
      expect(jti).toMatch(/^[0-9a-f]{32}$/);
      expect(aud).toBe(`${tokens.origin}/token`);
    },
  );

  test('has a new jti each time', async () => {
    const { ehr, tokens } = await setUp(tokenGiver(1));
    const clock = testClock();
    const again = anEhr(`${tokens.origin}/fhir`, { auth: smart(`${tokens.origin}/token`), clock });
    const ids = new Set<unknown>();
    for (let i = 0; i < 3; i += 1) {
      await again.send(READ);
      clock.advance(1_000);
    }
    const asked = tokens.heard.map(({ url }, at) => ({ url, at })).filter(({ url }) => url === '/token');
    for (const { at } of asked) {
      const assertion = formOf(tokens, at).get('client_assertion') ?? '';
      ids.add((JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8')) as JWTPayload).jti);
    }
    expect([asked.length, ids.size]).toEqual([3, 3]);
    await ehr.close();
  });
});

describe('the token', () => {
  test('is sent to the FHIR server, and no FHIR request to the token endpoint', async () => {
    const { ehr, fhir, tokens } = await setUp();
    await ehr.send(READ);
    expect(fhir.heard[0]?.headers.authorization).toBe('Bearer token-1');
    expect(tokens.heard.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['POST', '/token', undefined],
    ]);
  });

  test('is asked for once, however many wait for it', async () => {
    const { ehr, fhir, tokens } = await setUp();
    await Promise.all(Array.from({ length: 20 }, () => ehr.send(READ)));
    expect([tokens.heard.length, fhir.heard.length]).toEqual([1, 20]);
  });

  test.each([
    [300, 269_999, 270_000],
    [40, 19_999, 20_000],
    ['120', 89_999, 90_000],
    [null, 29_999, 30_000],
  ])('that lives %s seconds is used for %d ms and not for %d', async (expiresIn, still, over) => {
    const clock = testClock();
    const { ehr, tokens } = await setUp(tokenGiver(expiresIn), clock);
    await ehr.send(READ);
    clock.advance(still);
    await ehr.send(READ);
    expect(tokens.heard).toHaveLength(1);
    clock.advance(over - still);
    await ehr.send(READ);
    expect(tokens.heard).toHaveLength(2);
  });

  test('that is refused is fetched anew once, and the request repeated with it', async () => {
    const tokens = await anOddServer(tokenGiver());
    const fhir = await fhirServer((authorization) => authorization === 'Bearer token-2');
    const ehr = anEhr(fhir.base, { auth: smart(`${tokens.origin}/token`) });
    expect((await ehr.send(CREATE)).verdict.kind).toBe('ok');
    expect(fhir.heard.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer token-1', CREATE.body],
      ['Bearer token-2', CREATE.body],
    ]);
  });

  test('that is refused again pauses the target, and nobody asks a third time', async () => {
    const tokens = await anOddServer(tokenGiver());
    const fhir = await fhirServer(() => false);
    const ehr = anEhr(fhir.base, { auth: smart(`${tokens.origin}/token`) });
    expect(shortOf((await ehr.send(READ)).verdict)).toBe('auth: ehr.unauthorized');
    expect([tokens.heard.length, fhir.heard.length]).toEqual([2, 2]);
  });
});

describe('a token endpoint that gives none', () => {
  test.each<[string, Misbehave, string]>([
    [
      'refuses the client',
      (_h, res) => answerJson(res, 400, { error: 'invalid_client', error_description: 'MARKER' }),
      'auth: ehr.token',
    ],
    ['says 401', (_h, res) => answerJson(res, 401, {}), 'auth: ehr.token'],
    [
      'points elsewhere',
      (_h, res) => void res.writeHead(307, { location: 'http://localhost:1/token' }).end(),
      'auth: ehr.token',
    ],
    ['gives another kind of token', tokenGiver(300, { token_type: 'mac' }), 'auth: ehr.token'],
    [
      'gives a token that is a header of its own',
      tokenGiver(300, { access_token: 'a\r\nX-Evil: 1' }),
      'auth: ehr.token',
    ],
    ['gives none', tokenGiver(300, { access_token: null }), 'auth: ehr.token'],
    ['gives one that is over already', tokenGiver(0), 'auth: ehr.token'],
    ['answers with a page', (_h, res) => void res.writeHead(200).end('<html>'), 'auth: ehr.token'],
    ['answers null', (_h, res) => answerJson(res, 200, null), 'auth: ehr.token'],
    ['is broken', (_h, res) => answerJson(res, 503, {}), 'retry-later: ehr.token-unavailable'],
    ['is too busy', (_h, res) => answerJson(res, 429, {}), 'retry-later: ehr.token-unavailable'],
    ['hangs up', (_h, _res, socket) => void socket.destroy(), 'retry-later: ehr.token-unavailable'],
    [
      'pours out more than any token',
      (_h, res) => void res.writeHead(200).end(' '.repeat(1_000_000)),
      'retry-later: ehr.token-unavailable',
    ],
  ])('%s', async (_what, misbehave, expected) => {
    const { ehr, fhir } = await setUp(misbehave);
    const { exchange, verdict } = await ehr.send(CREATE);
    expect([exchange, shortOf(verdict)]).toEqual([null, expected]);
    expect(fhir.heard).toEqual([]);
    expect(JSON.stringify(verdict)).not.toContain('MARKER');
  });

  test('who gives up waiting for it is let go, and the token still comes for the others', async () => {
    const { ehr, fhir, tokens } = await setUp(
      (_heard, res) =>
        void setTimeout(
          () => answerJson(res, 200, { access_token: 'late', token_type: 'Bearer', expires_in: 300 }),
          150,
        ),
    );
    const others = ehr.send(READ);
    expect((await ehr.send({ ...CREATE, signal: AbortSignal.timeout(20) })).verdict).toMatchObject({
      kind: 'abandoned',
      effect: 'none',
    });
    expect((await others).verdict.kind).toBe('ok');
    expect([tokens.heard.length, fhir.heard.length]).toEqual([1, 1]);
  });

  test('one that recovers is used, since a failure is not kept', async () => {
    let asked = 0;
    const give = tokenGiver();
    const { ehr } = await setUp((heard, res, socket) => {
      asked += 1;
      if (asked === 1) answerJson(res, 503, {});
      else give(heard, res, socket);
    });
    expect((await ehr.send(READ)).verdict.kind).toBe('retry-later');
    expect((await ehr.send(READ)).verdict.kind).toBe('ok');
  });
});

describe('a token endpoint that nobody configured', () => {
  const TLS = { client: null, ca: pem('ca.pem') };

  async function discovered(tokenEndpoint: (tokens: OddServer) => unknown) {
    const tokens = await anOddServer(tokenGiver(1), { tls: 'plain' });
    let named = tokenEndpoint(tokens);
    const fhir = await anOddServer(
      (heard, res) =>
        heard.url.endsWith('smart-configuration')
          ? answerJson(res, 200, { token_endpoint: named }, { 'content-type': 'application/json' })
          : answerJson(res, 200, { resourceType: 'Patient' }),
      { tls: 'plain' },
    );
    const clock = testClock();
    const ehr = anEhr(fhir.base, { auth: smart(null), tls: TLS, clock });
    return { tokens, fhir, ehr, clock, rename: (next: unknown) => void (named = next) };
  }

  test('is the one that the EHR names over https; it is asked without a token', async () => {
    const { ehr, fhir, tokens } = await discovered(({ origin }) => `${origin}/token`);
    expect((await ehr.send(READ)).verdict.kind).toBe('ok');
    expect(fhir.heard.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/fhir/.well-known/smart-configuration', undefined],
      ['/fhir/Patient/1', 'Bearer token-1'],
    ]);
    expect(tokens.heard).toHaveLength(1);
  });

  test('stays the same for as long as the process lives, whatever the EHR names later', async () => {
    const { ehr, tokens, fhir, clock, rename } = await discovered(({ origin }) => `${origin}/token`);
    await ehr.send(READ);
    rename('https://evil.example/token');
    clock.advance(60_000);
    await ehr.send(READ);
    expect(tokens.heard).toHaveLength(2);
    expect(fhir.heard.filter(({ url }) => url.endsWith('smart-configuration'))).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['http', 'http://localhost:1/token'],
    ['credentials inside', 'https://a:b@localhost:1/token'],
    ['no address', 'token'],
    ['nothing', undefined],
    ['a list', ['https://localhost:1/token']],
  ])('%s is refused, and no assertion leaves', async (_what, named) => {
    const { ehr, tokens, fhir } = await discovered(() => named);
    expect(shortOf((await ehr.send(READ)).verdict)).toBe('auth: ehr.token');
    expect([tokens.heard.length, fhir.heard.length]).toEqual([0, 1]);
  });
});
