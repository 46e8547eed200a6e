import { expect, test } from '@jest/globals';
import { ConfigError, KEYS, loadConfig, type Mode } from '../../../src/config/index.ts';

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
const noFiles = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
};
const files = (all: Record<string, string>) => (path: string) => all[path] ?? noFiles(path);

function problemsOf(env: Record<string, string>, mode: Mode = 'serve', readText = noFiles): string[] {
  try {
    loadConfig(mode, env, readText);
    return [];
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems.map((p) => p.key);
    throw thrown;
  }
}

test('a sound environment becomes one frozen value, divided by module', () => {
  const config = loadConfig('serve', SOUND, noFiles);
  expect(config.http).toEqual({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://localhost:8080',
    trustProxy: [],
    tls: null,
    bodyBytesMax: 5 * 1024 * 1024,
    drainGraceMs: 5000,
  });
  expect(config.ehr.url).toBe('https://ehr.example.org/fhir');
  expect(config.store.database).toEqual({ engine: 'sqlite', file: 'data/chartgate.db', filesystem: 'local' });
  const made = loadConfig(
    'serve',
    { ...SOUND, CHARTGATE_DATABASE_URL: 'sqlite:x.db?filesystem=any&create=yes' },
    noFiles,
  );
  expect(made.store.database).toEqual({ engine: 'sqlite', file: 'x.db', filesystem: 'any', folder: 'make' });
  expect(config.retention).toEqual({ bodyDays: 90, auditDays: 2192 });
  expect(Object.isFrozen(config) && Object.isFrozen(config.http) && Object.isFrozen(config.ingest.dataSecrets)).toBe(
    true,
  );
});

test('all problems are reported at once, and none of them holds a value', () => {
  const env = {
    CHARTGATE_PORT: 'eighty',
    CHARTGATE_EHR_AUTH: 'magic',
    CHARTGATE_DATA_KEY: 'short-secret',
    CHARTGATE_TYPO: 'x',
  };
  expect(problemsOf(env).sort()).toEqual([
    'CHARTGATE_ADMIN_TOKEN',
    'CHARTGATE_AUDIT_KEY',
    'CHARTGATE_DATA_KEY',
    'CHARTGATE_EHR_AUTH',
    'CHARTGATE_EHR_URL',
    'CHARTGATE_MRN_SYSTEM',
    'CHARTGATE_PORT',
    'CHARTGATE_PSEUDONYM_KEY',
    'CHARTGATE_TYPO',
    'CHARTGATE_WEBHOOK_SECRET',
  ]);
  expect(() => loadConfig('serve', env, noFiles)).toThrow(expect.not.stringContaining('short-secret'));
});

test('the EHR is written to unless shadow mode is asked for, by its name and no other', () => {
  expect(loadConfig('serve', SOUND, noFiles).deliver.mode).toBe('live');
  expect(loadConfig('serve', { ...SOUND, CHARTGATE_MODE: 'shadow' }, noFiles).deliver.mode).toBe('shadow');
  expect(problemsOf({ ...SOUND, CHARTGATE_MODE: 'Shadow' })).toEqual(['CHARTGATE_MODE']);
});

test('serve refuses to start without an authenticator for the webhook', () => {
  const { CHARTGATE_WEBHOOK_SECRET: _secret, ...without } = SOUND;
  expect(problemsOf(without)).toEqual(['CHARTGATE_WEBHOOK_SECRET']);
  const signed = {
    CHARTGATE_WEBHOOK_HMAC: 'raw-body',
    CHARTGATE_WEBHOOK_HMAC_HEADER: 'X-Signature',
    CHARTGATE_WEBHOOK_HMAC_KEY: 'k'.repeat(16),
  };
  expect(problemsOf({ ...without, ...signed })).toEqual([]);
});

test('one key in two spellings of base64 is one key', () => {
  const odd = key(1).replace(/E=$/, 'F=');
  expect(odd).not.toBe(key(1));
  expect(problemsOf({ ...SOUND, CHARTGATE_AUDIT_KEY: odd })).toEqual(['CHARTGATE_DATA_KEY']);
});

test('demo needs nothing but the keys that it makes itself', () => {
  expect(problemsOf({}, 'demo')).toEqual(['CHARTGATE_DATA_KEY', 'CHARTGATE_AUDIT_KEY', 'CHARTGATE_PSEUDONYM_KEY']);
  expect(
    problemsOf({ CHARTGATE_DATA_KEY: key(1), CHARTGATE_AUDIT_KEY: key(2), CHARTGATE_PSEUDONYM_KEY: key(3) }, 'demo'),
  ).toEqual([]);
});

test.each<[string, Record<string, string>, string[]]>([
  [
    'a port for watching that is the gateway’s',
    { CHARTGATE_PORT: '9000', CHARTGATE_OPS_PORT: '9000' },
    ['CHARTGATE_OPS_PORT'],
  ],
  ['a short token for watching', { CHARTGATE_OPS_TOKEN: 'short' }, ['CHARTGATE_OPS_TOKEN']],
  ['a short webhook secret', { CHARTGATE_WEBHOOK_SECRET: 'short' }, ['CHARTGATE_WEBHOOK_SECRET']],
  [
    'a webhook secret that is no path segment',
    { CHARTGATE_WEBHOOK_SECRET: `${'a'.repeat(32)}/` },
    ['CHARTGATE_WEBHOOK_SECRET'],
  ],
  [
    'one secret for both webhooks',
    { CHARTGATE_NOTIFICATION_SECRET: 'a'.repeat(32) },
    ['CHARTGATE_NOTIFICATION_SECRET'],
  ],
  ['one key for two purposes', { CHARTGATE_AUDIT_KEY: key(1) }, ['CHARTGATE_DATA_KEY']],
  [
    'a signature scheme without its key',
    { CHARTGATE_WEBHOOK_HMAC: 'raw-body', CHARTGATE_WEBHOOK_HMAC_HEADER: 'x-s' },
    ['CHARTGATE_WEBHOOK_HMAC_KEY'],
  ],
  [
    'a signature key without its scheme',
    { CHARTGATE_WEBHOOK_HMAC_KEY: 'k'.repeat(16) },
    ['CHARTGATE_WEBHOOK_HMAC_KEY'],
  ],
  [
    'basic without a password',
    { CHARTGATE_EHR_AUTH: 'basic', CHARTGATE_EHR_USERNAME: 'u' },
    ['CHARTGATE_EHR_PASSWORD'],
  ],
  ['bearer without a token', { CHARTGATE_EHR_AUTH: 'bearer' }, ['CHARTGATE_EHR_TOKEN']],
  [
    'smart-backend without client and key',
    { CHARTGATE_EHR_AUTH: 'smart-backend' },
    ['CHARTGATE_EHR_CLIENT_ID', 'CHARTGATE_EHR_PRIVATE_KEY'],
  ],
  [
    'a token endpoint that would be discovered without TLS',
    {
      CHARTGATE_EHR_AUTH: 'smart-backend',
      CHARTGATE_EHR_CLIENT_ID: 'c',
      CHARTGATE_EHR_PRIVATE_KEY: 'k',
      CHARTGATE_EHR_URL: 'http://ehr.example.org/fhir',
    },
    ['CHARTGATE_EHR_TOKEN_URL'],
  ],
  [
    'a token endpoint with a fragment',
    { CHARTGATE_EHR_TOKEN_URL: 'https://a.example.org/#x' },
    ['CHARTGATE_EHR_TOKEN_URL'],
  ],
  ['a base with a query', { CHARTGATE_EHR_URL: 'https://ehr.example.org/fhir?x=1' }, ['CHARTGATE_EHR_URL']],
  ["the EHR's certificate without its key", { CHARTGATE_EHR_TLS_CERT_FILE: 'c.pem' }, ['CHARTGATE_EHR_TLS_CERT_FILE']],
  [
    'authorities for an EHR without TLS',
    { CHARTGATE_EHR_TLS_CA_FILE: 'ca.pem', CHARTGATE_EHR_URL: 'http://ehr.example.org' },
    ['CHARTGATE_EHR_URL'],
  ],
  ["a file of the EHR's TLS that is not there", { CHARTGATE_EHR_TLS_CA_FILE: 'ca.pem' }, ['CHARTGATE_EHR_TLS_CA_FILE']],
  ['a service without our client', { CHARTGATE_SOURCE_URL: 'https://service.example.org' }, ['CHARTGATE_CLIENT_UUID']],
  [
    'a service that would get its credentials in clear',
    { CHARTGATE_SOURCE_LAB_URL: 'http://service.example.org', CHARTGATE_CLIENT_UUID: 'c' },
    ['CHARTGATE_SOURCE_LAB_URL'],
  ],
  [
    'a service with a query',
    { CHARTGATE_SOURCE_URL: 'http://localhost:8082/?x=1', CHARTGATE_CLIENT_UUID: 'c' },
    ['CHARTGATE_SOURCE_URL'],
  ],
  [
    'an external issuer without its keys',
    { CHARTGATE_AUTH_ISSUER: 'https://idp.example.org' },
    ['CHARTGATE_AUTH_JWKS_URL'],
  ],
  ['a public address without TLS or proxy', { CHARTGATE_HOST: '0.0.0.0' }, ['CHARTGATE_HOST']],
  ['a certificate without its key', { CHARTGATE_TLS_CERT_FILE: 'cert.pem' }, ['CHARTGATE_TLS_CERT_FILE']],
  [
    'a wish of a database that is none',
    { CHARTGATE_DATABASE_URL: 'sqlite:x.db?create=maybe' },
    ['CHARTGATE_DATABASE_URL'],
  ],
  ['an unknown database', { CHARTGATE_DATABASE_URL: 'mysql://x' }, ['CHARTGATE_DATABASE_URL']],
  ['less memory than the program itself takes', { CHARTGATE_MEMORY_MB: '256' }, ['CHARTGATE_MEMORY_MB']],
  ['more in a body than there is memory to read it', { CHARTGATE_BODY_LIMIT_MB: '25' }, ['CHARTGATE_MEMORY_MB']],
  ['a body limit that is no limit', { CHARTGATE_BODY_LIMIT_MB: '0' }, ['CHARTGATE_BODY_LIMIT_MB']],
  ['credentials inside an address', { CHARTGATE_EHR_URL: 'https://u:p@ehr.example.org' }, ['CHARTGATE_EHR_URL']],
  ['a port out of range', { CHARTGATE_PORT: '70000' }, ['CHARTGATE_PORT']],
  [
    'a proxy list that names nobody',
    { CHARTGATE_HOST: '0.0.0.0', CHARTGATE_TRUST_PROXY: ',' },
    ['CHARTGATE_TRUST_PROXY', 'CHARTGATE_HOST'],
  ],
  ['a proxy that is everybody', { CHARTGATE_TRUST_PROXY: '0.0.0.0/0' }, ['CHARTGATE_TRUST_PROXY']],
  ['a proxy that is no address', { CHARTGATE_TRUST_PROXY: 'nonsense' }, ['CHARTGATE_TRUST_PROXY']],
  [
    'a short signature key',
    { CHARTGATE_WEBHOOK_HMAC: 'raw-body', CHARTGATE_WEBHOOK_HMAC_HEADER: 'x-s', CHARTGATE_WEBHOOK_HMAC_KEY: 'x' },
    ['CHARTGATE_WEBHOOK_HMAC_KEY'],
  ],
  ['a PostgreSQL address that is none', { CHARTGATE_DATABASE_URL: 'postgres://a b:c' }, ['CHARTGATE_DATABASE_URL']],
  [
    'a password without a user in an address',
    { CHARTGATE_EHR_URL: 'https://:p@ehr.example.org' },
    ['CHARTGATE_EHR_URL'],
  ],
  ['a port that is blank', { CHARTGATE_PORT: ' ' }, ['CHARTGATE_PORT']],
  ['learning without anything to learn', { CHARTGATE_WEBHOOK_LEARN: 'on' }, ['CHARTGATE_WEBHOOK_LEARN']],
  [
    'a certificate header without a proxy',
    { CHARTGATE_WEBHOOK_MTLS_HEADER: 'x-cert', CHARTGATE_WEBHOOK_MTLS_NAME: 'cn=source' },
    ['CHARTGATE_WEBHOOK_MTLS_HEADER'],
  ],
  ['a bad trust proxy with sound rest', { CHARTGATE_HOST: '0.0.0.0', CHARTGATE_TRUST_PROXY: '10.0.0.1' }, []],
  ['an empty value, which counts as absent', { CHARTGATE_EHR_TOKEN: '' }, []],
  ['other programs’ variables', { PATH: '/usr/bin', CHART: 'x' }, []],
])('%s', (_what, more, expected) => {
  expect(problemsOf({ ...SOUND, ...more })).toEqual(expected);
});

test('a secret may come from a file, not from both', () => {
  const { CHARTGATE_DATA_KEY: _key, ...rest } = SOUND;
  const config = loadConfig(
    'serve',
    { ...rest, CHARTGATE_DATA_KEY_FILE: '/run/key' },
    files({ '/run/key': `${key(9)}\n` }),
  );
  expect(config.keys.data.map((one) => one.reveal())).toEqual([key(9)]);
  expect(problemsOf({ ...SOUND, CHARTGATE_DATA_KEY_FILE: '/run/key' }, 'serve', files({ '/run/key': key(9) }))).toEqual(
    ['CHARTGATE_DATA_KEY_FILE'],
  );
  expect(problemsOf({ ...rest, CHARTGATE_DATA_KEY_FILE: '/run/none' })).toContain('CHARTGATE_DATA_KEY_FILE');
  expect(problemsOf({ ...SOUND, CHARTGATE_PORT_FILE: '/run/port' })).toEqual(['CHARTGATE_PORT_FILE']);
});

test('certificate, key and authorities for the EHR are read from their files, the key as a secret', () => {
  const { ehr } = loadConfig(
    'serve',
    {
      ...SOUND,
      CHARTGATE_EHR_TLS_CERT_FILE: 'cert.pem',
      CHARTGATE_EHR_TLS_KEY_FILE: 'key.pem',
      CHARTGATE_EHR_TLS_CA_FILE: 'ca.pem',
    },
    files({ 'cert.pem': 'CERT', 'key.pem': 'KEY', 'ca.pem': 'CA' }),
  );
  expect([ehr.tls?.client?.cert, ehr.tls?.client?.key.reveal(), ehr.tls?.ca]).toEqual(['CERT', 'KEY', 'CA']);
  expect(JSON.stringify(ehr)).not.toContain('KEY');
  expect(loadConfig('serve', SOUND, noFiles).ehr.tls).toBeNull();
});

test('the address of the token endpoint is kept to the letter', () => {
  const { ehr } = loadConfig(
    'serve',
    {
      ...SOUND,
      CHARTGATE_EHR_AUTH: 'smart-backend',
      CHARTGATE_EHR_CLIENT_ID: 'c',
      CHARTGATE_EHR_PRIVATE_KEY: 'k',
      CHARTGATE_EHR_TOKEN_URL: 'https://a.example.org/token/',
    },
    noFiles,
  );
  expect(ehr.auth).toMatchObject({ kind: 'smart-backend', tokenUrl: 'https://a.example.org/token/' });
});

test('two keys live at once while one is rotated', () => {
  const config = loadConfig('serve', { ...SOUND, CHARTGATE_DATA_KEY: `${key(8)},${key(1)}` }, noFiles);
  expect(config.keys.data.map((one) => one.reveal())).toEqual([key(8), key(1)]);
});

test('a configuration file holds the same keys, and the environment wins', () => {
  const read = files({ 'c.json': JSON.stringify({ ...SOUND, CHARTGATE_PORT: 9000, CHARTGATE_HOST: '127.0.0.1' }) });
  expect(loadConfig('serve', { CHARTGATE_CONFIG: 'c.json', CHARTGATE_PORT: '9001' }, read).http.port).toBe(9001);
  expect(loadConfig('serve', { CHARTGATE_CONFIG: 'c.json' }, read).http.port).toBe(9000);
  expect(loadConfig('serve', { CHARTGATE_CONFIG: 'c.json', CHARTGATE_PORT: '' }, read).http.port).toBe(9000);
});

test.each([
  ['is missing', {}],
  ['is not JSON', { 'c.json': '{' }],
  ['holds a list', { 'c.json': '[]' }],
])('a configuration file that %s is a problem of CHARTGATE_CONFIG', (_what, all) => {
  expect(problemsOf({ ...SOUND, CHARTGATE_CONFIG: 'c.json' }, 'serve', files(all))).toEqual(['CHARTGATE_CONFIG']);
});

test('a configuration file with an unknown key or an object as value is refused', () => {
  const read = files({ 'c.json': JSON.stringify({ port: 1, CHARTGATE_PORT: {} }) });
  expect(problemsOf({ ...SOUND, CHARTGATE_CONFIG: 'c.json' }, 'serve', read).sort()).toEqual([
    'CHARTGATE_PORT',
    'port',
  ]);
});

test('what is legal and unchecked is named', () => {
  const { weak } = loadConfig(
    'serve',
    {
      ...SOUND,
      CHARTGATE_DATABASE_URL: 'postgres://u:p@db.example.org/x',
      CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody',
    },
    noFiles,
  );
  expect(weak.map(({ key, what }) => [key, what])).toEqual([
    ['CHARTGATE_WEBHOOK_HMAC', 'webhook bodies are not signed: whoever learns the address can send data'],
    ['CHARTGATE_CLIENT_UUID', 'CHARTGATE_CLIENT_UUID is not set: deliveries of any client are taken'],
    ['CHARTGATE_DATABASE_URL', 'PostgreSQL is reached without sslmode=verify-full'],
    ['CHARTGATE_OPERATOR_SECOND_FACTOR', 'operators sign in by a password alone'],
    [
      'CHARTGATE_AUDIT_ANCHOR',
      'audit checkpoints are kept in the database alone: an older copy of it would look sound',
    ],
  ]);
  for (const { mend } of weak) expect(mend).toMatch(/\.$/);
});

test('no setting that is secret shows its value anywhere in the configuration', () => {
  const marked: Record<string, string> = {
    ...SOUND,
    CHARTGATE_ADMIN_TOKEN: 'marker'.repeat(8),
    CHARTGATE_DATABASE_URL: 'postgres://u:marker@127.0.0.1/x',
  };
  expect(JSON.stringify(loadConfig('serve', marked, noFiles))).not.toContain('marker');
  expect(Object.keys(KEYS).length).toBeGreaterThan(40);
});
