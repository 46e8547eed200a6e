import { describe, expect, test } from '@jest/globals';
import { readQrCode } from '../../service/pages/scan-code.ts';
import {
  BINDING,
  freshService,
  JPEG,
  labParts,
  multipart,
  PDF,
  PNG,
  revokePath,
  USER,
  authorizerPath,
} from './support.ts';

const { activate, ask, authorizer, begin, bind, client, form, grant, lab, profile, rules, service, signed } =
  freshService();
const SOURCES = [
  'StrapWearable',
  'RingWearable',
  'GpsWatch',
  'FitnessBand',
  'ConnectedScale',
  'SportsWatch',
  'GlucoseMonitor',
];
const BIND = { user_id: USER, metadata: { client_name: 'First Clinic' }, salt: '1234' };

describe('section 4.1, authorizer', () => {
  test.each(SOURCES)('%s is one of the seven data sources', async (source) => {
    const { status, body } = await authorizer(USER, source);
    expect([status, body['data_source'], body['authorized']]).toEqual([200, source, false]);
  });
  test.each(['ringwearable', 'RINGWEARABLE', 'Ring', 'IosHealth', '', 'RingWearable%20', '__proto__'])(
    'data_source %p is refused: case is significant',
    async (source) => expect((await authorizer(USER, source)).status).toBe(400),
  );
  test('redirect_url is a URL, and the only parameter', async () => {
    const get = (query: string) =>
      ask('GET', authorizerPath(USER, 'RingWearable', query), { headers: signed('secretKey') });
    expect((await get('?redirect_url=https%3A%2F%2Fclinic.example%2F')).status).toBe(200);
    for (const query of [
      '?redirect_url=nowhere',
      '?redirect_url=javascript:1',
      '?redirect=x',
      '?redirect_url=https://a.example&redirect_url=https://b.example',
    ])
      expect([query, (await get(query)).status]).toEqual([query, 400]);
  });
  test('asking twice gives one address, and a page that asks', async () => {
    const url = await begin();
    expect((await begin()).href).toBe(url.href);
    const page = await ask('GET', url.pathname + url.search);
    expect([page.status, page.text.includes('First Clinic'), page.text.includes('<script')]).toEqual([
      200,
      true,
      false,
    ]);
  });
});

describe('section 4.2, the deprecated list', () => {
  const path = (uuid = 'client-1') => `/api/v1/client_uuid/${uuid}/user_id/${USER}/data_sources/authorizers`;
  test('lists the seven, and says that it is deprecated', async () => {
    await grant();
    const { status, body, headers } = await ask('GET', path(), { headers: signed('secretKey') });
    const all = body['data_sources'] as { data_source: string; authorized: boolean }[];
    expect([status, headers['deprecation'], all.map(({ data_source }) => data_source)]).toEqual([200, 'true', SOURCES]);
    expect(all.filter(({ authorized }) => authorized).map(({ data_source }) => data_source)).toEqual(['RingWearable']);
  });
  test('takes a redirect_url, and nothing else', async () => {
    activate('callback_url_setup');
    const get = (query: string) => ask('GET', `${path()}${query}`, { headers: signed('secretKey') });
    const { body } = await get('?redirect_url=https%3A%2F%2Fclinic.example%2Fback');
    const [first] = body['data_sources'] as { authorization_url: string }[];
    const url = new URL(first?.authorization_url ?? '');
    const granted = await form(url.pathname, {
      state: url.searchParams.get('state') ?? '',
      account: 'a',
      decision: 'grant',
    });
    expect(granted.headers['location']).toBe('https://clinic.example/back');
    for (const query of ['?redirect_url=x', '?other=1']) expect((await get(query)).status).toBe(400);
  });
  test('is of the client whose credentials they are', async () => {
    expect((await ask('GET', path('client-2'), { headers: signed('secretKey') })).status).toBe(403);
  });
});

describe('section 4.3, revoke', () => {
  test('is a POST without parameters, and may be repeated', async () => {
    for (let i = 0; i < 2; i += 1)
      expect((await ask('POST', revokePath(), { headers: signed('secretKey') })).status).toBe(200);
    expect((await ask('GET', revokePath(), { headers: signed('secretKey') })).status).toBe(405);
    expect((await ask('POST', `${revokePath()}?all=1`, { headers: signed('secretKey') })).status).toBe(400);
  });
});

describe('section 4.4, lab document', () => {
  test.each([
    ['PDF', PDF],
    ['JPEG', JPEG],
    ['PNG', PNG],
  ])('%s is taken', async (_kind, file) => {
    activate('lab_data');
    const { status, body } = await lab(labParts(file));
    expect(status).toBe(200);
    expect(service().documents.get(String(body['document_id']))).toEqual(file);
  });
  test.each(['Z', '+00:00', '-05:00', '+05:45', '+14:00', '-12:00'])('time zone %s is taken', async (zone) => {
    activate('lab_data');
    expect((await lab(labParts(PDF, zone))).status).toBe(200);
  });
  test.each([
    'UTC',
    'EST',
    '+3:00',
    '3:00',
    '+03',
    '+0300',
    '',
    'z',
    '+15:00',
    '+03:60',
    '−05:00',
    'Europe/Berlin',
    '+03:00 ',
  ])('time zone %p is refused', async (zone) => {
    activate('lab_data');
    expect((await lab(labParts(PDF, zone))).status).toBe(400);
  });
  test('a duplicate is received like any other, and marked', async () => {
    activate('lab_data');
    const first = (await lab(labParts())).body['document_id'];
    const second = (await lab(labParts())).body['document_id'];
    expect(second).not.toBe(first);
    expect(service().state.labDocuments.get(String(second))?.duplicateOf).toBe(first);
    await lab(labParts(), { authorization: `Bearer ${client().lab.token}` }, 'user-2');
    expect(
      service()
        .state.labDocuments.all()
        .filter(([, one]) => one.duplicateOf !== null),
    ).toHaveLength(1);
  });
  test('no endpoint reports what became of it', async () => {
    activate('lab_data');
    const id = String((await lab(labParts())).body['document_id']);
    expect((await ask('GET', `/lab/client_uuid/client-1/user_id/${USER}`)).status).toBe(405);
    expect((await ask('GET', `/lab/${id}`)).status).toBe(404);
  });
  test('a repeated or unknown field is refused', async () => {
    activate('lab_data');
    expect((await lab([...labParts(), { name: 'timezone', value: 'Z' }])).status).toBe(400);
    expect((await lab([...labParts(), { name: 'note', value: 'x' }])).status).toBe(400);
    expect((await lab([...labParts(), { name: 'file', value: PDF, fileName: 'b.pdf' }])).status).toBe(400);
  });
});

describe('section 4.5, user profile', () => {
  test('is queued, and told by its request_id', async () => {
    activate('user_health_profile');
    const told: unknown[] = [];
    service().listen((happening) => told.push(happening));
    const { status, body } = await profile();
    expect([status, body]).toEqual([
      202,
      { message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect(told).toEqual([{ kind: 'profile-requested', id: body['request_id'], client: 'client-1', user: USER }]);
  });
  test('client_uuid must not be in the body', async () => {
    activate('user_health_profile');
    expect((await profile({ user_id: USER, client_uuid: 'client-1' })).status).toBe(400);
    expect((await profile({ user_id: USER, other: 1 })).status).toBe(400);
  });
});

describe('section 4.6, monitoring rules', () => {
  const general = {
    signals: { resting_heart_rate: { deviation_below_percent_float: 20, deviation_above_percent_float: null } },
  };
  const own = { signals: { sleep_duration: { threshold_min_float: 18_000, threshold_max_float: 36_000 } } };
  test('GET gives what is stored for its scope, not what holds', async () => {
    activate('health_monitoring');
    expect((await rules('GET')).status).toBe(404);
    expect((await rules('PUT', '', general)).body).toMatchObject({ user_id: null, ...general });
    expect((await rules('GET', `?user_id=${USER}`)).status).toBe(404);
    await rules('PUT', `?user_id=${USER}`, own);
    expect((await rules('GET')).body).toMatchObject({ user_id: null, ...general });
    expect((await rules('GET', `?user_id=${USER}`)).body).toMatchObject({ user_id: USER, ...own });
  });
  test('PUT replaces as a whole', async () => {
    activate('health_monitoring');
    await rules('PUT', '', general);
    await rules('PUT', '', own);
    expect((await rules('GET')).body['signals']).toEqual(own.signals);
  });
  test.each([
    ['not JSON', '{', 400],
    ['not an object', '[]', 422],
    ['an unknown field', { ...own, more: 1 }, 400],
    ['no signals', {}, 422],
    ['an unknown signal', { signals: { weight: { threshold_min_float: 1 } } }, 422],
    ['a bound of the other method', { signals: { hrv: { threshold_min_float: 1 } } }, 422],
    ['no bound', { signals: { hrv: { deviation_below_percent_float: null } } }, 422],
    ['a bound that is text', { signals: { oxygenation: { threshold_min_float: '92' } } }, 422],
    [
      'bounds the wrong way round',
      { signals: { sleep_duration: { threshold_min_float: 9, threshold_max_float: 1 } } },
      422,
    ],
  ])('PUT refuses %s', async (_what, body, status) => {
    activate('health_monitoring');
    expect((await rules('PUT', '', body)).status).toBe(status);
  });
  test('the scope is named by user_id alone', async () => {
    activate('health_monitoring');
    expect((await rules('GET', '?user=1')).status).toBe(400);
    expect((await rules('GET', '?user_id=')).status).toBe(400);
    expect((await rules('GET', `?user_id=${'x'.repeat(51)}`)).status).toBe(400);
  });
});

describe('section 4.7, binding', () => {
  test('gives a QR code that says the universal link, and keeps no salt', async () => {
    const { status, body } = await bind(BIND);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['qr_code', 'universal_link']);
    const [, png = ''] = /^data:image\/png;base64,(.+)$/.exec(String(body['qr_code'])) ?? [];
    expect(readQrCode(Buffer.from(png, 'base64'))).toBe(body['universal_link']);
    const stored = JSON.stringify(service().state.bindings.all());
    for (const told of ['1234', USER, 'First Clinic']) expect(stored).not.toContain(told);
  });
  test.each([
    ['Content-Type with a charset', { 'content-type': 'application/json; charset=utf-8' }, 415],
    ['another Content-Type', { 'content-type': 'text/plain' }, 415],
    ['no User-Agent', { 'user-agent': '' }, 400],
  ])('%s is refused', async (_what, headers, status) => expect((await bind(BIND, headers)).status).toBe(status));
  test.each([
    ['no user_id', { ...BIND, user_id: undefined }],
    ['a user_id that is no text', { ...BIND, user_id: 7 }],
    ['a salt of 3', { ...BIND, salt: '123' }],
    ['a salt of 7', { ...BIND, salt: '1234567' }],
    ['no salt', { ...BIND, salt: undefined }],
    ['no metadata', { ...BIND, metadata: undefined }],
    ['no client_name', { ...BIND, metadata: {} }],
    ['a tyc_url that is none', { ...BIND, metadata: { ...BIND.metadata, tyc_url: 'terms' } }],
    ['a support_url that is none', { ...BIND, metadata: { ...BIND.metadata, support_url: 1 } }],
    ['a complete_log_out that is text', { ...BIND, metadata: { ...BIND.metadata, complete_log_out: 'yes' } }],
    ['an unknown field', { ...BIND, more: 1 }],
    ['an unknown field of metadata', { ...BIND, metadata: { ...BIND.metadata, more: 1 } }],
    ['an array', []],
  ])('%s is refused', async (_what, body) => expect((await bind(body)).status).toBe(400));
  test('the path ends with a slash', async () => {
    expect((await ask('POST', BINDING.slice(0, -1), { headers: signed('secretKey') })).status).toBe(404);
  });
});

describe('section 4.7, the extraction app', () => {
  const cookieOf = ({
    headers,
  }: {
    headers: Readonly<Record<string, string | string[] | undefined>>;
  }): Record<string, string> => ({
    cookie: String([headers['set-cookie']].flat()[0]).split(';')[0] ?? '',
  });
  async function phone(
    metadata: Record<string, unknown> = {},
    salt = '1234',
    device: Record<string, string> | null = null,
    uuid = 'client-1',
  ) {
    const made = await ask('POST', BINDING, {
      headers: { ...signed('secretKey', uuid), 'content-type': 'application/json', 'user-agent': 'a-test' },
      body: JSON.stringify({ ...BIND, metadata: { client_name: 'First Clinic', ...metadata }, salt }),
    });
    const cookie = device ?? cookieOf(await ask('GET', '/app'));
    const link = new URL(String(made.body['universal_link']));
    return {
      cookie,
      link,
      qr: String(made.body['qr_code']),
      bound: await form(link.pathname, { salt: '1234' }, cookie),
    };
  }
  const state = (source = 'IosHealth') =>
    service().state.connections.get(JSON.stringify(['client-1', USER, source]))?.state;
  const all: [string, string][] = ['activity', 'heart', 'sleep', 'body'].map((one) => ['permission', one]);
  const connect = (cookie: Record<string, string>, permissions = all) =>
    form('/app/connect', [['data_source', 'IosHealth'], ...permissions], cookie);

  test('scans the picture of the code, and asks for the salt', async () => {
    const { qr, link, cookie } = await phone();
    const png = Buffer.from(qr.split(',')[1] ?? '', 'base64');
    const made = multipart({ name: 'picture', value: png, fileName: 'code.png' });
    const scanned = await ask('POST', '/app/scan', { ...made, headers: { ...made.headers, ...cookie } });
    expect([scanned.status, scanned.headers['location']]).toEqual([303, link.pathname]);
    expect((await ask('GET', link.pathname)).text).toContain('4 to 6 characters');
    const other = multipart({ name: 'picture', value: Buffer.from('no picture'), fileName: 'code.png' });
    expect((await ask('POST', '/app/scan', other)).status).toBe(400);
    expect((await form('/app/scan', { link: 'https://elsewhere.example/app/bind/x' })).status).toBe(400);
  });
  test('a wrong salt does not open it', async () => {
    expect((await phone({}, '9999')).bound.status).toBe(403);
  });
  test('is configured with the metadata of the client, and collects after the terms only', async () => {
    const { cookie } = await phone({
      tyc_url: 'https://clinic.example/terms',
      support_url: 'https://clinic.example/help',
    });
    const shown = (await ask('GET', '/app', { headers: cookie })).text;
    for (const part of ['First Clinic', 'https://clinic.example/terms', 'https://clinic.example/help'])
      expect(shown).toContain(part);
    expect((await connect(cookie)).status).toBe(409);
    await form('/app/terms', {}, cookie);
    expect((await connect(cookie)).status).toBe(303);
    expect(state()).toBe('connected');
    expect((await ask('GET', '/app', { headers: cookie })).text).toContain('extracted in the background');
  });
  test('a permission denied makes it incomplete until it is unlinked and linked again with all', async () => {
    const { cookie } = await phone();
    await form('/app/terms', {}, cookie);
    await connect(cookie, all.slice(1));
    expect(state()).toBe('incomplete');
    expect((await connect(cookie)).status).toBe(409);
    await form('/app/unlink', { data_source: 'IosHealth' }, cookie);
    await connect(cookie);
    expect(state()).toBe('connected');
  });
  test.each([
    [undefined, 'connected'],
    [null, 'connected'],
    [false, 'connected'],
    [true, 'disconnected'],
  ])('log-out with complete_log_out %p leaves the data source %s', async (complete, expected) => {
    const { cookie } = await phone(complete === undefined ? {} : { complete_log_out: complete });
    await form('/app/terms', {}, cookie);
    await connect(cookie);
    await form('/app/log-out', {}, cookie);
    expect(state()).toBe(expected);
    expect((await ask('GET', '/app', { headers: cookie })).text).toContain('Scan the code');
  });
  test('a device is of one environment at a time', async () => {
    service().putClient({ uuid: 'client-2', environment: 'production' });
    const { cookie } = await phone({ complete_log_out: true });
    await form('/app/terms', {}, cookie);
    await connect(cookie);
    expect((await phone({}, '1234', cookie, 'client-2')).bound.status).toBe(409);
    await form('/app/log-out', {}, cookie);
    expect((await phone({}, '1234', cookie, 'client-2')).bound.status).toBe(303);
  });
  test('wears the name, logo and colour of the white label', async () => {
    const logo = 'data:image/png;base64,iVBORw0KGgo=';
    const fields = { brand_name: 'Clinic App <b>', brand_color: '#aa3311', brand_logo: logo };
    expect((await form('/portal', fields, signed('secretKey'))).status).toBe(303);
    const { cookie } = await phone();
    const { text, headers } = await ask('GET', '/app', { headers: cookie });
    expect(text).toContain('Clinic App &lt;b&gt;');
    expect(text).toContain(logo);
    expect((await ask('GET', '/app/brand/client-1/style.css')).text).toContain('#aa3311');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await form('/portal', { ...fields, brand_color: 'red' }, signed('secretKey'))).status).toBe(400);
  });
});

describe('section 4.8, the portal', () => {
  test('registers webhook addresses over https, or on this machine', async () => {
    const put = (address: string) =>
      form('/portal', { data_webhook: address, notification_webhook: '' }, signed('secretKey'));
    expect((await put('https://clinic.example/hook')).status).toBe(303);
    expect(client().dataWebhook).toBe('https://clinic.example/hook');
    expect((await put('http://localhost:8080/webhooks/x/data')).status).toBe(303);
    for (const address of ['http://clinic.example/hook', 'ftp://clinic.example', 'https://u:p@clinic.example', 'x'])
      expect([address, (await put(address)).status]).toEqual([address, 400]);
  });
  test('asks for the credentials of the client', async () => {
    const { status, headers } = await ask('GET', '/portal');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="service"']);
  });
});

test('section 4, what is not an endpoint is 404, and a broken address 400', async () => {
  expect((await ask('GET', '/api/v3/user_profile')).status).toBe(404);
  expect((await ask('GET', `/api/v1/user_id/%ZZ/data_source/RingWearable/authorizer`)).status).toBe(400);
});
