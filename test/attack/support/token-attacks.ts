import { createHmac, randomBytes } from 'node:crypto';
import { sign, signAnything, soundClaims, RS_KID, type Claims, type Issuer } from './issuer.ts';
import type { Asked } from './ask.ts';

/*
 * Every way to present a token that was not minted for this request. Each makes the whole question, since some are
 * about where the token stands and not what is in it. All are answered 401 alike, but for those that say otherwise.
 */
export interface Kit {
  readonly issuer: Issuer;
  readonly audience: string;
  readonly publicUrl: string;
}

export interface TokenAttack {
  readonly name: string;
  /** `refused` where 400 is as good as 401. */
  readonly expected: 'unauthenticated' | 'refused' | 'forbidden' | 'own';
  readonly make: (kit: Kit) => Promise<Asked>;
}

const PATH = '/fhir/Observation?patient=idalpha';
const now = (): number => Math.floor(Date.now() / 1000);
const carried = (token: string, scheme = 'Bearer'): Asked => ({
  path: PATH,
  headers: [['Authorization', `${scheme} ${token}`]],
});
const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const minted = (kit: Kit, claims: Claims = {}, header: Claims = {}): Promise<string> =>
  sign(kit.issuer.keys, soundClaims(kit.issuer.url, kit.audience, claims), header);

const claimed = (
  name: string,
  claims: (kit: Kit) => Claims,
  expected: TokenAttack['expected'] = 'unauthenticated',
): TokenAttack => ({ name, expected, make: async (kit) => carried(await minted(kit, claims(kit))) });

const headed = (name: string, header: (kit: Kit) => Claims): TokenAttack => ({
  name,
  expected: 'unauthenticated',
  make: async (kit) => carried(await minted(kit, {}, header(kit))),
});

const text = (name: string, change: (token: string, kit: Kit) => string | Promise<string>): TokenAttack => ({
  name,
  expected: 'unauthenticated',
  make: async (kit) => carried(await change(await minted(kit), kit)),
});

const asked = (
  name: string,
  expected: TokenAttack['expected'],
  question: (token: string, kit: Kit) => Asked | Promise<Asked>,
): TokenAttack => ({ name, expected, make: async (kit) => question(await minted(kit), kit) });

const forged = (header: Claims, claims: Claims, signature: (input: string) => string): string => {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${signature(input)}`;
};
const unsigned = (alg: string) => (_: string, kit: Kit) =>
  forged({ alg, typ: 'at+jwt' }, soundClaims(kit.issuer.url, kit.audience), () => '');
const parts = (token: string): [string, string, string] => token.split('.') as [string, string, string];

const ALGORITHMS: readonly TokenAttack[] = [
  ...['none', 'None', 'NONE', 'nOnE', ''].map((alg) => text(`alg "${alg}" without a signature`, unsigned(alg))),
  text('alg none with the signature of a sound token', (token) => {
    const [, claims, signature] = parts(token);
    return `${base64url({ alg: 'none', typ: 'at+jwt' })}.${claims}.${signature}`;
  }),
  ...(
    [
      ['the public key as PEM', (kit: Kit) => kit.issuer.keys.rsaPem],
      ['the public key as PEM without its last line break', (kit: Kit) => kit.issuer.keys.rsaPem.trim()],
      ['the public key as JWK', (kit: Kit) => JSON.stringify(kit.issuer.keys.rsaJwk)],
      ['the modulus', (kit: Kit) => kit.issuer.keys.rsaJwk.n ?? ''],
      ['nothing', () => ''],
    ] as const
  ).map(([what, secretOf]) =>
    text(`HS256 with ${what} as its secret`, (_, kit) =>
      forged({ alg: 'HS256', typ: 'at+jwt', kid: RS_KID }, soundClaims(kit.issuer.url, kit.audience), (input) =>
        createHmac('sha256', secretOf(kit)).update(input).digest('base64url'),
      ),
    ),
  ),
  text('a signature of zeros', (token) => {
    const [header, claims] = parts(token);
    return `${header}.${claims}.${Buffer.alloc(64).toString('base64url')}`;
  }),
  text('an RSA algorithm over the key of a curve', (token) => {
    const [, claims, signature] = parts(token);
    return `${base64url({ alg: 'RS256', typ: 'at+jwt', kid: 'es-1' })}.${claims}.${signature}`;
  }),
  text('another key with the published kid', (_, kit) =>
    sign(kit.issuer.keys, soundClaims(kit.issuer.url, kit.audience), {}, kit.issuer.keys.stranger),
  ),
  ...['', 'nobody', '../../../dev/null', "es-1' OR '1'='1", '__proto__', 'x'.repeat(2_000)].map((kid) =>
    headed(`kid "${kid.slice(0, 20)}"`, () => ({ kid })),
  ),
];

const LURES: readonly TokenAttack[] = (
  [
    ['jku', (kit: Kit) => ({ jku: kit.issuer.lureUrl })],
    ['x5u', (kit: Kit) => ({ x5u: kit.issuer.lureUrl })],
    ['jwk', (kit: Kit) => ({ jwk: kit.issuer.keys.strangerJwk })],
    ['x5c', () => ({ x5c: ['AAAA'] })],
    ['jku and another kid', (kit: Kit) => ({ jku: kit.issuer.lureUrl, kid: 'lured' })],
  ] as const
).map(([name, header]) =>
  text(`another key, offered by ${name}`, (_, kit) =>
    sign(kit.issuer.keys, soundClaims(kit.issuer.url, kit.audience), header(kit), kit.issuer.keys.stranger),
  ),
);

const HEADS: readonly TokenAttack[] = [
  headed('typ JWT', () => ({ typ: 'JWT' })),
  headed('no typ', () => ({ typ: undefined })),
  headed('typ of an id token', () => ({ typ: 'id_token+jwt' })),
  headed('typ of a logout token', () => ({ typ: 'logout+jwt' })),
  ...(
    [
      ['a critical header that nobody knows', { crit: ['x-must'], 'x-must': 1 }],
      ['a payload that is not encoded (b64)', { crit: ['b64'], b64: false }],
      ['an empty list of critical headers', { crit: [] }],
      ['no alg', { alg: undefined }],
      ['alg none over a right signature', { alg: 'none' }],
      ['alg as a list', { alg: ['ES256'] }],
      ['an algorithm of another curve', { alg: 'ES384' }],
      ['kid as an object', { kid: { toString: 'es-1' } }],
    ] as const
  ).map(([name, header]) =>
    text(name, (_, kit) =>
      signAnything(kit.issuer.keys, soundClaims(kit.issuer.url, kit.audience), {
        alg: 'ES256',
        typ: 'at+jwt',
        kid: 'es-1',
        ...header,
      }),
    ),
  ),
];

const CLAIMS: readonly TokenAttack[] = [
  ...['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti'].map((name) =>
    claimed(`no ${name}`, () => ({ [name]: undefined })),
  ),
  claimed('no scope', () => ({ scope: undefined }), 'refused'),
  claimed('another issuer', () => ({ iss: 'https://evil.example' })),
  claimed('the issuer with a slash', (kit) => ({ iss: `${kit.issuer.url}/` })),
  claimed('the issuer as a list', (kit) => ({ iss: [kit.issuer.url] })),
  claimed('ourselves as the issuer', (kit) => ({ iss: kit.publicUrl })),
  claimed('another audience', () => ({ aud: 'https://evil.example/fhir' })),
  claimed('two audiences', (kit) => ({ aud: [kit.audience, 'https://evil.example/fhir'] })),
  claimed('two audiences, ours last', (kit) => ({ aud: ['https://evil.example/fhir', kit.audience] })),
  claimed('no audience in a list', () => ({ aud: [] })),
  claimed('the public address as the audience', (kit) => ({ aud: kit.publicUrl })),
  claimed('the audience with a slash', (kit) => ({ aud: `${kit.audience}/` })),
  claimed('the audience with something behind it', (kit) => ({ aud: `${kit.audience}.evil.example` })),
  claimed('the audience in upper case', (kit) => ({ aud: kit.audience.toUpperCase() })),
  claimed('the app as the audience, as in an id token', () => ({ aud: 'attack-app', nonce: 'n' })),
  claimed('expired', () => ({ iat: now() - 600, exp: now() - 300 })),
  claimed('expired a minute ago', () => ({ iat: now() - 360, exp: now() - 60 })),
  claimed('made in the future', () => ({ iat: now() + 600, exp: now() + 900 })),
  claimed('not before the future', () => ({ nbf: now() + 600 })),
  claimed('a life of more than an hour', () => ({ exp: now() + 3_700 })),
  claimed('a life of more than an hour, nearly over', () => ({ iat: now() - 7_200, exp: now() + 60 })),
  claimed('a life of a thousand years', () => ({ exp: now() + 31_536_000_000 })),
  claimed('exp in milliseconds', () => ({ exp: Date.now() + 300_000 })),
  claimed('exp as text', () => ({ exp: String(now() + 300) })),
  claimed('exp null', () => ({ exp: null })),
  claimed('scope as a list', () => ({ scope: ['patient/*.rs'] }), 'refused'),
  claimed('scope as an object', () => ({ scope: { 'patient/*.rs': true } }), 'refused'),
  claimed('patient as a list', () => ({ patient: ['idalpha', 'idbravo'] }), 'refused'),
  claimed('patient as a reference with a way out', () => ({ patient: 'idalpha/../idbravo' }), 'refused'),
  claimed('patient with a comma', () => ({ patient: 'idalpha,idbravo' }), 'refused'),
  claimed('patient as an object', () => ({ patient: { toString: 'idalpha' } }), 'refused'),
  claimed('patient empty', () => ({ patient: '' }), 'refused'),
  claimed('larger than any token is', () => ({ more: 'x'.repeat(9_000) })),
];

const TEXTS: readonly TokenAttack[] = [
  text('a payload of bravo under the signature for alpha', (token, kit) => {
    const [header, , signature] = parts(token);
    return `${header}.${base64url(soundClaims(kit.issuer.url, kit.audience, { patient: 'idbravo' }))}.${signature}`;
  }),
  text('a signature that is cut', (token) => token.slice(0, -8)),
  text('a signature that goes on', (token) => `${token}AAAA`),
  text('no signature', (token) => token.slice(0, token.lastIndexOf('.') + 1)),
  text('two parts', (token) => token.split('.').slice(0, 2).join('.')),
  text('four parts', (token) => `${token}.x`),
  text('five parts, as if encrypted', () => [1, 2, 3, 4, 5].map(() => base64url('x')).join('.')),
  text('an empty token', () => ''),
  text('a word', () => 'garbage'),
  text('random bytes', () => randomBytes(300).toString('base64url')),
  text('the token in its JSON form', (token) => {
    const [header, claims, signature] = parts(token);
    return JSON.stringify({ protected: header, payload: claims, signature });
  }),
  text('two tokens', (token) => `${token} ${token}`),
  text('two tokens and a comma', (token) => `${token}, Bearer ${token}`),
  text('quotes around it', (token) => `"${token}"`),
  text("the operator's token", () => 'operator-'.repeat(5)),
];

const PLACES: readonly TokenAttack[] = [
  asked('nothing at all', 'unauthenticated', () => ({ path: PATH })),
  asked('the scheme alone', 'unauthenticated', () => ({ path: PATH, headers: [['Authorization', 'Bearer']] })),
  asked('the token alone', 'unauthenticated', (token) => ({ path: PATH, headers: [['Authorization', token]] })),
  asked('basic', 'unauthenticated', (token) => carried(Buffer.from(`app:${token}`).toString('base64'), 'Basic')),
  asked('another scheme', 'unauthenticated', (token) => carried(token, 'DPoP')),
  asked('in the address', 'unauthenticated', (token) => ({ path: `${PATH}&access_token=${token}` })),
  asked('in the header and in the address', 'refused', (token) => ({
    ...carried(token),
    path: `${PATH}&access_token=${token}`,
  })),
  asked('in the body of a search', 'unauthenticated', (token) => ({
    method: 'POST',
    path: '/fhir/Observation/_search',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: `patient=idalpha&access_token=${token}`,
  })),
  asked('in a cookie', 'unauthenticated', (token) => ({ path: PATH, headers: [['Cookie', `access_token=${token}`]] })),
  asked('in another header', 'unauthenticated', (token) => ({
    path: PATH,
    headers: [
      ['X-Authorization', `Bearer ${token}`],
      ['X-Access-Token', token],
    ],
  })),
  asked('twice, a bad one first', 'refused', (token) => ({
    path: PATH,
    headers: [
      ['Authorization', 'Bearer garbage'],
      ['Authorization', `Bearer ${token}`],
    ],
  })),
  asked('twice, a bad one last', 'refused', (token) => ({
    path: PATH,
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['Authorization', 'Bearer garbage'],
    ],
  })),
];

/** Tokens that are sound though they look odd. */
export const SOUND_TOKENS: readonly TokenAttack[] = [
  asked('a plain token', 'own', (token) => carried(token)),
  asked('the scheme in lower case', 'own', (token) => carried(token, 'bearer')),
  asked('the scheme in upper case', 'own', (token) => carried(token, 'BEARER')),
  claimed('one audience in a list', (kit) => ({ aud: [kit.audience] }), 'own'),
  claimed('claims that nobody knows', () => ({ more: { a: [1] } }), 'own'),
  asked('signed by RSA', 'own', async (_, kit) =>
    carried(
      await sign(
        kit.issuer.keys,
        soundClaims(kit.issuer.url, kit.audience),
        { alg: 'RS256', kid: RS_KID },
        kit.issuer.keys.rs256,
      ),
    ),
  ),
];

export const TOKEN_ATTACKS: readonly TokenAttack[] = [
  ...ALGORITHMS,
  ...LURES,
  ...HEADS,
  ...CLAIMS,
  ...TEXTS,
  ...PLACES,
];
