import { createHash, randomUUID } from 'node:crypto';
import { SignJWT, type CryptoKey } from 'jose';

/*
 * Attacks on the embedded authorization server that need nobody to sign in. Values are what is changed of a sound
 * request: a list is sent once for each of its members, `null` leaves the parameter out.
 */
export type Changes = Readonly<Record<string, string | readonly string[] | null>>;

export const REDIRECT = 'https://app.example.org/callback';
/** Names of the apps in the rows below. The server chooses their ids, which `withIds` puts in their place. */
export const PUBLIC_APP = 'attack-public';
export const SECRET_APP = 'attack-symmetric';
export const BACKEND = 'attack-backend';
export const TWO_KEYS = 'attack-two-keys';
export const STATE = 'state-of-the-attack-0123456789';
export const VERIFIER = 'v'.repeat(64);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Ids by the names that the rows use. */
export type Ids = ReadonlyMap<string, string>;
export const idOf = (ids: Ids, name: unknown): unknown => (typeof name === 'string' ? (ids.get(name) ?? name) : name);
export const withIds = (ids: Ids, changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      value === null
        ? null
        : typeof value === 'string'
          ? (ids.get(value) ?? value)
          : value.map((one) => ids.get(one) ?? one),
    ]),
  );

export function formOf(sound: Readonly<Record<string, string>>, changes: Changes): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...sound, ...changes }))
    for (const one of value === null ? [] : typeof value === 'string' ? [value] : value) form.append(name, one);
  return form.toString();
}

/**
 * `stays`: a page or an error here, and no way back to where the request says. `no-code`: that, or back to the
 * registered address with an error and the state. Neither may come to a sign-in.
 */
export type AuthorizeRow = readonly [name: string, expected: 'stays' | 'no-code', changes: Changes];

export const AUTHORIZE: readonly AuthorizeRow[] = [
  ['an app that nobody knows', 'stays', { client_id: 'nobody' }],
  ['no app', 'stays', { client_id: null }],
  ['an empty app', 'stays', { client_id: '' }],
  ['two apps', 'stays', { client_id: [PUBLIC_APP, SECRET_APP] }],
  ['an app named by an address', 'stays', { client_id: 'https://evil.example/client' }],
  ['a prototype for an app', 'stays', { client_id: '__proto__' }],
  ['no address to return to', 'no-code', { redirect_uri: null }],
  ['an empty address', 'no-code', { redirect_uri: '' }],
  ['another address', 'stays', { redirect_uri: 'https://evil.example/callback' }],
  ['another scheme', 'stays', { redirect_uri: REDIRECT.replace('https', 'http') }],
  ['another port', 'stays', { redirect_uri: 'https://app.example.org:8443/callback' }],
  ['a longer path', 'stays', { redirect_uri: `${REDIRECT}/more` }],
  ['a shorter path', 'stays', { redirect_uri: 'https://app.example.org/' }],
  ['a way up', 'stays', { redirect_uri: `${REDIRECT}/../evil` }],
  ['a query', 'stays', { redirect_uri: `${REDIRECT}?next=https://evil.example` }],
  ['a fragment', 'stays', { redirect_uri: `${REDIRECT}#x` }],
  ['a user in the address', 'stays', { redirect_uri: 'https://app.example.org@evil.example/callback' }],
  ['a host that begins alike', 'stays', { redirect_uri: 'https://app.example.org.evil.example/callback' }],
  ['upper case', 'stays', { redirect_uri: REDIRECT.toUpperCase() }],
  ['an encoded letter', 'stays', { redirect_uri: REDIRECT.replace('callback', '%63allback') }],
  ['a loopback with a port, of an app elsewhere', 'stays', { redirect_uri: 'http://127.0.0.1:51004/callback' }],
  ['a port before somebody else', 'stays', { redirect_uri: 'http://127.0.0.1:80@evil.example/callback' }],
  ['our own page for an app', 'stays', { client_id: '~grants' }],
  ['a script', 'stays', { redirect_uri: 'javascript:alert(1)' }],
  ['two addresses', 'no-code', { redirect_uri: [REDIRECT, 'https://evil.example/callback'] }],
  ['two addresses, the right one last', 'no-code', { redirect_uri: ['https://evil.example/callback', REDIRECT] }],
  ["another app's address", 'stays', { redirect_uri: 'https://other.example.org/callback' }],
  ['a line break in the address', 'stays', { redirect_uri: `${REDIRECT}\r\nX-Attack: 1` }],
  ['no PKCE', 'no-code', { code_challenge: null, code_challenge_method: null }],
  ['no method of PKCE, which means plain', 'no-code', { code_challenge_method: null }],
  ['plain PKCE', 'no-code', { code_challenge_method: 'plain', code_challenge: VERIFIER }],
  ['PKCE in lower case', 'no-code', { code_challenge_method: 's256' }],
  ['a method without a challenge', 'no-code', { code_challenge: null }],
  ['an empty challenge', 'no-code', { code_challenge: '' }],
  ['a short challenge', 'no-code', { code_challenge: 'short' }],
  ['a challenge of wrong letters', 'no-code', { code_challenge: '!'.repeat(43) }],
  ['two challenges', 'no-code', { code_challenge: [CHALLENGE, 'x'.repeat(43)] }],
  ['no aud', 'no-code', { aud: null }],
  ['an empty aud', 'no-code', { aud: '' }],
  ['a counterfeit aud', 'no-code', { aud: 'https://evil.example/fhir' }],
  ['an aud that begins alike', 'no-code', { aud: '{aud}.evil.example' }],
  ['an aud below ours', 'no-code', { aud: '{aud}/Patient' }],
  ['two auds', 'no-code', { aud: ['{aud}', 'https://evil.example/fhir'] }],
  ['a counterfeit resource', 'no-code', { resource: 'https://evil.example/fhir' }],
  ['a token at once', 'no-code', { response_type: 'token' }],
  ['an id token at once', 'no-code', { response_type: 'id_token', nonce: 'n' }],
  ['a code and a token', 'no-code', { response_type: 'code token' }],
  ['no response at all', 'no-code', { response_type: 'none' }],
  ['no response type', 'no-code', { response_type: null }],
  ['two response types', 'no-code', { response_type: ['code', 'token'] }],
  ['an answer to a window', 'no-code', { response_mode: 'web_message' }],
  ['two scopes', 'no-code', { scope: ['openid', 'user/*.rs'] }],
  ['no sign-in where none was', 'no-code', { prompt: 'none' }],
  ['a request of its own', 'no-code', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['a request from elsewhere', 'no-code', { request_uri: 'https://evil.example/request' }],
  ['states that are two', 'no-code', { state: [STATE, 'other'] }],
];

/** At the token endpoint: status and error as RFC 6749 5.2 has them. `{…}` is filled in by the test. */
export interface TokenRow {
  readonly name: string;
  readonly form: Changes;
  readonly headers?: readonly (readonly [string, string])[];
  /** Name of the app and its secret, by HTTP Basic. */
  readonly basic?: readonly [app: string, secret: string];
  readonly statuses: readonly number[];
  /** Any of these, where one is named. */
  readonly errors?: readonly string[];
}

export const basicOf = (id: string, secret: string): readonly [string, string] => [
  'Authorization',
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
];
const CODE = {
  grant_type: 'authorization_code',
  code: 'nobodys-code',
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
} as const;

export const TOKEN: readonly TokenRow[] = [
  {
    name: 'a code that nobody gave',
    form: { ...CODE, client_id: PUBLIC_APP },
    statuses: [400],
    errors: ['invalid_grant'],
  },
  {
    name: 'an app that nobody knows',
    form: { ...CODE, client_id: 'nobody' },
    statuses: [400, 401],
    errors: ['invalid_client'],
  },
  { name: 'no app', form: CODE, statuses: [400, 401], errors: ['invalid_client', 'invalid_request'] },
  { name: 'no code', form: { ...CODE, code: null, client_id: PUBLIC_APP }, statuses: [400] },
  {
    name: 'two codes',
    form: { ...CODE, code: ['a', 'b'], client_id: PUBLIC_APP },
    statuses: [400],
    errors: ['invalid_request'],
  },
  { name: 'two apps', form: { ...CODE, client_id: [PUBLIC_APP, 'x'] }, statuses: [400, 401] },
  {
    name: 'two grants',
    form: { ...CODE, grant_type: ['authorization_code', 'refresh_token'], client_id: PUBLIC_APP },
    statuses: [400],
  },
  { name: 'two verifiers', form: { ...CODE, code_verifier: [VERIFIER, 'x'], client_id: PUBLIC_APP }, statuses: [400] },
  { name: 'no grant', form: { client_id: PUBLIC_APP }, statuses: [400] },
  ...[
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'x',
  ].map((grant_type) => ({
    name: `the grant ${grant_type}`,
    form: { grant_type, client_id: PUBLIC_APP, username: 'a', password: 'b', scope: 'openid' },
    statuses: [400],
    errors: ['unsupported_grant_type', 'unauthorized_client', 'invalid_request'],
  })),
  {
    name: 'a refresh token that nobody gave',
    form: { grant_type: 'refresh_token', refresh_token: 'nobodys', client_id: PUBLIC_APP },
    statuses: [400, 401],
  },
  {
    name: 'a public app as a backend',
    form: { grant_type: 'client_credentials', scope: 'system/*.rs', client_id: PUBLIC_APP },
    statuses: [400, 401],
  },
  {
    name: 'a secret that is wrong',
    form: CODE,
    basic: [SECRET_APP, 'wrong'],
    statuses: [401],
    errors: ['invalid_client'],
  },
  { name: 'a secret that is empty', form: CODE, basic: [SECRET_APP, ''], statuses: [400, 401] },
  {
    name: 'no secret of an app that has one',
    form: { ...CODE, client_id: SECRET_APP },
    statuses: [400, 401],
    errors: ['invalid_client'],
  },
  {
    name: 'two ways to prove it',
    form: { ...CODE, client_id: SECRET_APP, client_secret: 'wrong' },
    basic: [SECRET_APP, 'wrong'],
    statuses: [400, 401],
  },
  {
    name: 'credentials that cannot be read',
    form: CODE,
    headers: [['Authorization', 'Basic !!!']],
    statuses: [400, 401],
  },
  { name: 'a bearer for a client', form: CODE, headers: [['Authorization', 'Bearer x']], statuses: [400, 401] },
  {
    name: 'a secret for a backend that has a key',
    form: { grant_type: 'client_credentials', scope: 'system/Observation.rs' },
    basic: [BACKEND, 'x'],
    statuses: [400, 401],
  },
];

/** Proofs of a backend (RFC 7523, SMART asymmetric): all but the sound one are `invalid_client`. */
export interface AssertionKit {
  readonly ids: Ids;
  readonly key: CryptoKey;
  readonly stranger: CryptoKey;
  readonly tokenUrl: string;
  readonly issuer: string;
  readonly lureUrl: string;
}

export type Assertion = (kit: AssertionKit) => Promise<string>;

const now = (): number => Math.floor(Date.now() / 1000);

export const assertionOf =
  (
    claims: (kit: AssertionKit) => Readonly<Record<string, unknown>> = () => ({}),
    header: Record<string, unknown> = {},
    with_: 'key' | 'stranger' = 'key',
  ): Assertion =>
  (kit) => {
    const all: Readonly<Record<string, unknown>> = {
      iss: BACKEND,
      sub: BACKEND,
      aud: kit.tokenUrl,
      jti: randomUUID(),
      iat: now(),
      exp: now() + 240,
      ...claims(kit),
    };
    const sent = Object.entries(all).filter(([, value]) => value !== undefined);
    return new SignJWT(Object.fromEntries(sent.map(([name, value]) => [name, idOf(kit.ids, value)])))
      .setProtectedHeader({ alg: 'ES384', typ: 'JWT', kid: 'backend-1', ...header })
      .sign(kit[with_]);
  };

const unsignedBy = (alg: string): Assertion => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return (kit) =>
    Promise.resolve(
      `${encode({ alg, typ: 'JWT', kid: 'backend-1' })}.${encode({ iss: kit.ids.get(BACKEND), sub: kit.ids.get(BACKEND), aud: kit.tokenUrl, jti: randomUUID(), iat: now(), exp: now() + 240 })}.`,
    );
};

export const ASSERTIONS: readonly (readonly [string, Assertion])[] = [
  ['no signature', unsignedBy('none')],
  ['a signature by nothing', unsignedBy('ES384')],
  ['a secret for a key', unsignedBy('HS256')],
  ['the key of another', assertionOf(() => ({}), {}, 'stranger')],
  ['a kid that nobody has', assertionOf(() => ({}), { kid: 'nobody' })],
  ['a foreign jku', async (kit) => assertionOf(() => ({}), { jku: kit.lureUrl }, 'stranger')(kit)],
  ['a foreign jku over the right key', async (kit) => assertionOf(() => ({}), { jku: kit.lureUrl })(kit)],
  ['an end that is too far', assertionOf(() => ({ exp: now() + 600 }))],
  ['an end that is very far', assertionOf(() => ({ exp: now() + 86_400 }))],
  ['an end that was', assertionOf(() => ({ iat: now() - 600, exp: now() - 300 }))],
  ['no end', assertionOf(() => ({ exp: undefined }))],
  ['not before the future', assertionOf(() => ({ nbf: now() + 600 }))],
  ['no jti', assertionOf(() => ({ jti: undefined }))],
  ['an empty jti', assertionOf(() => ({ jti: '' }))],
  ['another aud', assertionOf(() => ({ aud: 'https://evil.example/token' }))],
  ['an aud that begins alike', assertionOf((kit) => ({ aud: `${kit.tokenUrl}.evil.example` }))],
  ['no aud', assertionOf(() => ({ aud: undefined }))],
  ['two auds', assertionOf((kit) => ({ aud: [kit.tokenUrl, 'https://evil.example/token'] }))],
  ['iss that is not sub', assertionOf(() => ({ iss: 'https://evil.example' }))],
  ['sub that is not iss', assertionOf(() => ({ sub: PUBLIC_APP }))],
  ['another app', assertionOf(() => ({ iss: SECRET_APP, sub: SECRET_APP }))],
  ['an app that nobody knows', assertionOf(() => ({ iss: 'nobody', sub: 'nobody' }))],
  ['no iss', assertionOf(() => ({ iss: undefined }))],
  ['garbage', () => Promise.resolve('garbage')],
  ['nothing', () => Promise.resolve('')],
];
