import { describe, expect, test } from '@jest/globals';
import { authorizerPath, basic, BINDING, freshService, labParts, PROFILE, revokePath, RULES, USER } from './support.ts';

const { activate, ask, begin, client, lab, service } = freshService();
const INCORRECT = 'The client_uuid or password are incorrect';

const AUTHORIZERS = `/api/v1/client_uuid/client-1/user_id/${USER}/data_sources/authorizers`;

const GROUPS = [
  ['authorizer', 'GET', authorizerPath(), 'secretKey', 'password'],
  ['the deprecated list', 'GET', AUTHORIZERS, 'secretKey', 'password'],
  ['revoke', 'POST', revokePath(), 'secretKey', 'password'],
  ['binding', 'POST', BINDING, 'secretKey', 'password'],
  ['user profile', 'POST', PROFILE, 'password', 'secretKey'],
  ['monitoring rules, read', 'GET', RULES, 'password', 'secretKey'],
  ['monitoring rules, replaced', 'PUT', RULES, 'password', 'secretKey'],
] as const;

describe.each(GROUPS)('section 5, %s', (_name, method, path, right, wrong) => {
  const withHeader = (authorization: string | null) =>
    ask(method, path, { headers: authorization === null ? {} : { authorization } });
  test('takes its own credential', async () => {
    activate('user_health_profile', 'health_monitoring');
    expect((await withHeader(basic('client-1', client()[right]))).status).not.toBe(401);
    expect((await withHeader(basic('client-1', client()[right]).replace('Basic', 'bAsIc'))).status).not.toBe(401);
  });
  test('refuses every other, and says which of the two', async () => {
    const { uuid } = client();
    const bad = [
      null,
      '',
      'Basic',
      'Basic ###',
      basic(uuid, client()[wrong]),
      basic(uuid, ''),
      basic('nobody', client()[right]),
      `Basic ${Buffer.from(uuid).toString('base64')}`,
    ];
    for (const header of bad) {
      const { status, body } = await withHeader(header);
      expect([header, status, body['exception']]).toEqual([header, 401, INCORRECT]);
    }
    for (const header of [`Bearer ${client().lab.token}`, 'Digest x', 'Negotiate'])
      expect((await withHeader(header)).body['exception']).toBe('Unsupported authorization type');
  });
});

describe('section 5, laboratory documents', () => {
  test('take a bearer token, or a user name and password', async () => {
    activate('lab_data');
    const { token, username, password } = client().lab;
    expect((await lab(labParts(), { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await lab(labParts(), { authorization: basic(username, password) })).status).toBe(200);
  });
  test('refuse every other', async () => {
    activate('lab_data');
    service().putClient({ uuid: 'client-2', addOns: { lab_data: true } });
    const others = [
      {},
      { authorization: 'Bearer x' },
      { authorization: 'Digest x' },
      { authorization: basic('client-1', client().secretKey) },
      { authorization: `Bearer ${client('client-2').lab.token}` },
    ];
    for (const headers of others) expect((await lab(labParts(), headers)).status).toBe(401);
  });
});

describe('section 5, a Google-based provider in an embedded web view', () => {
  const VIEWS = [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/X; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  ];
  const BROWSERS = [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'curl/8.0',
  ];
  const open = async (agent: string, source: string) => {
    const url = await begin(source);
    return ask('GET', url.pathname + url.search, { headers: { 'user-agent': agent } });
  };
  test.each(VIEWS)('%s gets 403 disallowed_useragent', async (agent) => {
    const { status, text } = await open(agent, 'FitnessBand');
    expect([status, text.includes('disallowed_useragent')]).toEqual([403, true]);
    expect((await open(agent, 'RingWearable')).status).toBe(200);
  });
  test.each(BROWSERS)('%s is let in', async (agent) => expect((await open(agent, 'FitnessBand')).status).toBe(200));
});
