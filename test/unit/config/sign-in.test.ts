import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../src/config/index.ts';

const key = (n: number): string => Buffer.alloc(32, n).toString('base64');
const SOUND = {
  CHARTGATE_DATA_KEY: key(1),
  CHARTGATE_AUDIT_KEY: key(2),
  CHARTGATE_PSEUDONYM_KEY: key(3),
  CHARTGATE_EHR_URL: 'https://ehr.example.org/fhir/',
  CHARTGATE_MRN_SYSTEM: 'urn:oid:1.2.3',
  CHARTGATE_WEBHOOK_SECRET: 'a'.repeat(32),
  CHARTGATE_ADMIN_TOKEN: 'b'.repeat(32),
};
const PROVIDER = {
  CHARTGATE_SIGN_IN_ISSUER: 'https://idp.example/realms/clinic',
  CHARTGATE_SIGN_IN_CLIENT_ID: 'chartgate',
  CHARTGATE_SIGN_IN_CLIENT_SECRET: 'only-the-provider-knows',
};
const noFiles = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
};
const signInOf = (more: Record<string, string>) => {
  const { auth } = loadConfig('serve', { ...SOUND, ...more }, noFiles);
  return auth.kind === 'embedded' ? auth.signIn : null;
};
function problemsOf(more: Record<string, string>): string[] {
  try {
    signInOf(more);
    return [];
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems.map((p) => p.key);
    throw thrown;
  }
}

test('without a word on it people have accounts of ours, one factor, and no frame', () => {
  expect(signInOf({})).toEqual({
    provider: null,
    localAccounts: 'on',
    secondFactor: 'nobody',
    frameAncestors: [],
    styleUrl: null,
  });
});

test("the hospital's provider is known with its mapping and its groups", () => {
  expect(
    signInOf({
      ...PROVIDER,
      CHARTGATE_SIGN_IN_PRACTITIONER: 'identifier',
      CHARTGATE_SIGN_IN_USER_CLAIM: 'npi',
      CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM: 'http://hl7.org/fhir/sid/us-npi',
      CHARTGATE_SIGN_IN_GROUPS: 'ward, apps',
      CHARTGATE_SIGN_IN_LOCAL: 'off',
    }),
  ).toMatchObject({
    provider: {
      issuer: 'https://idp.example/realms/clinic',
      credential: { kind: 'secret' },
      scope: 'openid profile',
      mapping: { by: 'identifier', claim: 'npi', system: 'http://hl7.org/fhir/sid/us-npi' },
      groups: ['ward', 'apps'],
    },
    localAccounts: 'off',
  });
  expect(signInOf({ ...PROVIDER, CHARTGATE_SIGN_IN_PRACTITIONER: 'account' })?.provider?.mapping).toEqual({
    by: 'account',
  });
});

test.each([
  ['CHARTGATE_SIGN_IN_CLIENT_ID', { CHARTGATE_SIGN_IN_CLIENT_ID: 'x' }],
  ['CHARTGATE_SIGN_IN_LOCAL', { CHARTGATE_SIGN_IN_LOCAL: 'off' }],
  ['CHARTGATE_SIGN_IN_CLIENT_SECRET', { ...PROVIDER, CHARTGATE_SIGN_IN_CLIENT_SECRET: '' }],
  ['CHARTGATE_SIGN_IN_CLIENT_SECRET', { ...PROVIDER, CHARTGATE_SIGN_IN_PRIVATE_KEY: 'both' }],
  ['CHARTGATE_SIGN_IN_CLIENT_ID', { ...PROVIDER, CHARTGATE_SIGN_IN_CLIENT_ID: '' }],
  ['CHARTGATE_SIGN_IN_ISSUER', { ...PROVIDER, CHARTGATE_SIGN_IN_ISSUER: 'http://idp.example' }],
  ...['common/v2.0', 'organizations/v2.0', 'consumers', 'Common/v2.0'].map((path): [string, Record<string, string>] => [
    'CHARTGATE_SIGN_IN_ISSUER',
    { ...PROVIDER, CHARTGATE_SIGN_IN_ISSUER: `https://login.microsoftonline.com/${path}` },
  ]),
  [
    'CHARTGATE_OPERATOR_ISSUER',
    {
      CHARTGATE_OPERATOR_ISSUER: 'https://login.microsoftonline.com/common/v2.0',
      CHARTGATE_OPERATOR_CLIENT_ID: 'x',
      CHARTGATE_OPERATOR_CLIENT_SECRET: 'y',
      CHARTGATE_OPERATOR_GROUPS: 'g=administrator',
    },
  ],
  ['CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM', { ...PROVIDER, CHARTGATE_SIGN_IN_PRACTITIONER: 'identifier' }],
  ['CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM', { ...PROVIDER, CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM: 'urn:x' }],
  ['CHARTGATE_SIGN_IN_SCOPE', { ...PROVIDER, CHARTGATE_SIGN_IN_SCOPE: 'profile' }],
  ['CHARTGATE_FRAME_ANCESTORS', { CHARTGATE_FRAME_ANCESTORS: 'https://ehr.example' }],
  [
    'CHARTGATE_FRAME_ANCESTORS',
    { CHARTGATE_FRAME_ANCESTORS: "https://ehr.example/ 'self'", CHARTGATE_PUBLIC_URL: 'https://gw.example' },
  ],
  [
    'CHARTGATE_FRAME_ANCESTORS',
    { CHARTGATE_FRAME_ANCESTORS: 'http://ehr.example', CHARTGATE_PUBLIC_URL: 'https://gw.example' },
  ],
  ...['https://*', 'https://*.example', 'https://a;script-src', "https://a'b"].map(
    (origins): [string, Record<string, string>] => [
      'CHARTGATE_FRAME_ANCESTORS',
      { CHARTGATE_FRAME_ANCESTORS: origins, CHARTGATE_PUBLIC_URL: 'https://gw.example' },
    ],
  ),
  ['CHARTGATE_FRAME_ANCESTORS', { CHARTGATE_FRAME_ANCESTORS: '*', CHARTGATE_PUBLIC_URL: 'https://gw.example' }],
  [
    'CHARTGATE_SIGN_IN_ISSUER',
    { ...PROVIDER, CHARTGATE_AUTH_ISSUER: 'https://as.example', CHARTGATE_AUTH_JWKS_URL: 'https://as.example/jwks' },
  ],
])('%s is a problem where it does not go with the others', (name, more) => {
  expect(problemsOf(more)).toEqual([name]);
});

test('a plain address is taken on this machine alone, and frames where we are reached by https', () => {
  expect(problemsOf({ ...PROVIDER, CHARTGATE_SIGN_IN_ISSUER: 'http://127.0.0.1:9000' })).toEqual([]);
  expect(
    problemsOf({
      CHARTGATE_FRAME_ANCESTORS: 'https://ehr.example,https://10.0.0.7:8443,https://[2001:db8::1]:8443',
      CHARTGATE_PUBLIC_URL: 'https://gw.example',
    }),
  ).toEqual([]);
});
