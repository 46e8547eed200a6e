import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { enrolSet } from '../../../src/enrol/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { DEMO_ADD_ONS, startEhr, startService, type DemoEhr, type DemoService } from '../../../sandbox/index.ts';
import { startGateway, type Gateway } from '../../../src/gateway/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { configOf } from '../../support/gateway.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

const TOKEN = 'operator-'.repeat(5);
const HOOK = 'notification-'.repeat(3);
const DATA = 'data-secret-'.repeat(3);
const PDF = Buffer.from('%PDF-1.4\nMarkerDocument\n%%EOF\n');
let gateway: Gateway;
let service: DemoService;
let ehr: DemoEhr;
let place: Place;
let mrn = '';
let n = 0;
const log = collectLog();
const url = () => `http://127.0.0.1:${gateway.port}`;

beforeAll(async () => {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
  const { secretKey, password, lab } = service.putClient({
    uuid: 'client-1',
    name: 'First Clinic',
    addOns: DEMO_ADD_ONS,
  });
  gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
      CHARTGATE_ADMIN_TOKEN: TOKEN,
      CHARTGATE_EHR_URL: ehr.url,
      CHARTGATE_CLIENT_UUID: 'client-1',
      CHARTGATE_NOTIFICATION_SECRET: HOOK,
      CHARTGATE_WEBHOOK_SECRET: DATA,
      CHARTGATE_SOURCE_URL: service.url,
      CHARTGATE_SOURCE_LAB_URL: service.labUrl,
      CHARTGATE_SOURCE_SECRET_KEY: secretKey,
      CHARTGATE_SOURCE_PASSWORD: password,
      CHARTGATE_SOURCE_LAB_TOKEN: lab.token,
      CHARTGATE_ENVIRONMENT: 'sandbox',
    }),
    clock: systemClock,
    log,
  });
  service.putClient({ uuid: 'client-1', notificationWebhook: `${url()}/webhooks/${HOOK}/notifications` });
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
  await ehr.stop();
  await place.remove();
});
beforeEach(() => {
  n += 1;
  mrn = `MarkerMrn${n}`;
  register(`patient-${n}`, mrn);
});
const register = (id: string, value: string, more: Json = {}): void =>
  ehr.put({ resourceType: 'Patient', id, identifier: [{ system: 'urn:example:mrn', value }], ...more });

type Json = Record<string, unknown>;
async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json; headers: Headers }> {
  const answer = await fetch(`${url()}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
}
const of = (path: string): string => `patients/${mrn}/${path}`;
const connect = async (source = 'RingWearable', body?: unknown) =>
  (await ask('POST', of(`connections/${source}`), body)).body;
async function authorise(address: unknown): Promise<void> {
  const page = new URL(String(address));
  const form = new URLSearchParams({ state: page.searchParams.get('state') ?? '', account: 'a', decision: 'grant' });
  expect((await fetch(page.origin + page.pathname, { method: 'POST', body: form })).status).toBe(200);
}
const stateOf = async (source = 'RingWearable'): Promise<unknown> =>
  ((await ask('GET', of('connections'))).body['connections'] as Json[]).find(
    ({ dataSource }) => dataSource === source,
  )?.['state'];
const send = (hook: 'data' | 'notifications', body: unknown) =>
  fetch(`${url()}/webhooks/${hook === 'data' ? DATA : HOOK}/${hook}`, { method: 'POST', body: JSON.stringify(body) });
const notify = (user: unknown, more: Json) =>
  send('notifications', {
    client_uuid: 'client-1',
    user_id: user,
    data_source: 'RingWearable',
    level: 'info',
    message: 'm',
    environment: 'sandbox',
    ...more,
  });
const steps = (user: unknown, count: number) => ({
  version: 2,
  data_structure: 'steps_event',
  client_uuid: 'client-1',
  user_id: user,
  document_version: 1,
  auto_detected: true,
  physical_health: {
    events: {
      steps_event: [
        {
          metadata: {
            datetime_string: '2026-01-05T10:00:00+01:00',
            user_id_string: user,
            sources_of_data_array: ['ring'],
          },
          steps: { accumulated_steps_int: count },
        },
      ],
    },
  },
});

describe('an MRN that has no source user is looked up at the EHR before it gets one', () => {
  const links = async (of = mrn): Promise<unknown> => (await ask('GET', `links?mrn=${of}`)).body['links'];
  const enrol = (path: string, body?: unknown) => ask('POST', of(path), body);

  test('one that the EHR does not have gets none, whatever is asked for', async () => {
    mrn = 'MarkerUnknown';
    const all = [
      await enrol('connections/RingWearable'),
      await enrol('binding', { client_name: 'First Clinic' }),
      await enrol('labs?timezone=Z', PDF),
    ];
    expect(all.map(({ status, body }) => [status, body['code']])).toEqual(all.map(() => [404, 'enrol.mrn-unknown']));
    expect(JSON.stringify(all[0]?.body)).toMatch(/no patient with this MRN/);
    expect(await links()).toEqual([]);
  });

  test('nor does one that leads to no patient who stands', async () => {
    register('closed', 'MarkerClosed', { active: false });
    register('twin-1', 'MarkerTwins');
    register('twin-2', 'MarkerTwins');
    mrn = 'MarkerClosed';
    expect((await enrol('connections/RingWearable')).body).toMatchObject({ code: 'patient.inactive' });
    mrn = 'MarkerTwins';
    expect((await enrol('connections/RingWearable')).body).toMatchObject({ code: 'patient.many' });
    expect(await links()).toEqual([]);
  });

  test('while the EHR cannot be asked, nobody new is enrolled and who is enrolled is served', async () => {
    const enrolled = mrn;
    const { userId } = await connect();
    register('later', 'MarkerLater');
    ehr.board.setRules([{ path: '/Patient', status: 503 }]);
    mrn = 'MarkerLater';
    expect(await enrol('connections/RingWearable')).toMatchObject({ status: 503, body: { code: 'ehr.busy' } });
    expect(await links()).toEqual([]);
    mrn = enrolled;
    expect((await connect('GpsWatch'))['userId']).toBe(userId);
    ehr.board.setRules([]);
    mrn = 'MarkerLater';
    expect((await enrol('connections/RingWearable')).status).toBe(200);
  });
});

describe('connections', () => {
  test('a patient without a source user gets one that means nothing, and the way to the provider with its warning', async () => {
    const { userId, authorized, authorizationUrl, warning } = await connect();
    expect([authorized, String(authorizationUrl).startsWith(service.url), String(warning)]).toEqual([
      false,
      true,
      expect.stringContaining('web view'),
    ]);
    expect(userId).toMatch(/^u-[A-Za-z0-9_-]{24}$/);
    expect((await connect())['userId']).toBe(userId);
    const { links } = (await ask('GET', `links?mrn=${mrn}`)).body as { links: Json[] };
    expect(links).toMatchObject([{ userId, status: 'confirmed', mrn }]);
    expect(await stateOf()).toBe('asked');
  });

  test('who asks at the same time gets the same user', async () => {
    const all = await Promise.all(
      ['RingWearable', 'GpsWatch', 'StrapWearable', 'SportsWatch'].map((source) => connect(source)),
    );
    expect(new Set(all.map(({ userId }) => userId)).size).toBe(1);
  });

  test('the notification of the service makes it connected, and the service says so too', async () => {
    await authorise((await connect())['authorizationUrl']);
    expect(await eventually(stateOf, (state) => state === 'connected')).toBe('connected');
    expect((await ask('GET', of('connections/RingWearable'))).body).toMatchObject({
      authorized: true,
      known: { state: 'connected' },
    });
    expect(await connect()).toMatchObject({ authorized: true, authorizationUrl: null, warning: null });
  });

  test('revoke: the link stays, and late data is taken and marked', async () => {
    const { userId, authorizationUrl } = await connect();
    await authorise(authorizationUrl);
    await eventually(stateOf, (state) => state === 'connected');
    expect((await ask('POST', of('revoke'))).body).toEqual({ userId, revoked: true });
    expect(await stateOf()).toBe('revoked');
    expect(((await ask('GET', `links?mrn=${mrn}`)).body as { links: Json[] }).links[0]?.['status']).toBe('confirmed');
    expect((await send('data', steps(userId, 4210))).status).toBe(202);
    const find = async () =>
      (
        (await ask('GET', `deliveries?user_id=${String(userId)}&data_structure=steps_event`)).body as {
          deliveries: Json[];
        }
      ).deliveries[0];
    const delivery = await eventually(find, (one) => one !== undefined && one['state'] !== 'received');
    expect(delivery).toMatchObject({ findings: expect.arrayContaining(['enrolment.late user_id']) });
    expect(delivery?.['state']).not.toMatch(/quarantined|discarded/);
    expect((await ask('GET', of('connections'))).body).toMatchObject({
      lateDeliveries: 1,
      revokedAt: expect.any(String),
    });
  });

  test('looking makes good for a notification that never came', async () => {
    service.putClient({ uuid: 'client-1', addOns: { ...DEMO_ADD_ONS, notification_webhook: false } });
    const { userId, authorizationUrl } = await connect();
    await authorise(authorizationUrl);
    expect(await stateOf()).toBe('asked');
    await ask('GET', of('connections/RingWearable'));
    expect(await stateOf()).toBe('connected');
    const { secretKey } = service.putClient({ uuid: 'client-1' });
    const authorization = `Basic ${Buffer.from(`client-1:${secretKey}`).toString('base64')}`;
    await fetch(`${service.url}/api/v1/user_id/${String(userId)}/data_sources/revoke_auth`, {
      method: 'POST',
      headers: { authorization },
    });
    expect((await ask('GET', of('connections/RingWearable'))).body).toMatchObject({
      authorized: false,
      known: { state: 'ended' },
    });
    service.putClient({ uuid: 'client-1', addOns: DEMO_ADD_ONS });
  });

  test('a failed extraction is shown, and a disconnection at the provider ends the connection', async () => {
    const { userId } = await connect();
    await notify(userId, { action: 'user_connected' });
    await notify(userId, { action: 'extraction_failed', level: 'error', message: 'quota' });
    const failure = async () =>
      ((await ask('GET', of('connections'))).body['connections'] as Json[])[0]?.['failure'] ?? null;
    expect(await eventually(failure, (one) => one !== null)).toMatchObject({
      action: 'extraction_failed',
      message: 'quota',
    });
    expect(await stateOf()).toBe('connected');
    await notify(userId, { action: 'user_disconnected' });
    expect(await eventually(stateOf, (state) => state === 'ended')).toBe('ended');
  });

  test.each([
    ['GET', 'connections', 404, 'enrol.not-found'],
    ['GET', 'connections/RingWearable', 404, 'enrol.not-found'],
    ['POST', 'revoke', 404, 'enrol.not-found'],
    ['POST', 'profile', 404, 'enrol.not-found'],
    ['GET', 'labs', 404, 'enrol.not-found'],
    ['GET', 'monitoring-rules', 404, 'enrol.not-found'],
    ['POST', 'connections/Ring%20Wearable', 400, 'admin.parameter'],
  ])('%s %s of a patient who is not enrolled is %i', async (method, path, status, code) => {
    const answer = await ask(method, of(path));
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  test('a data source in the wrong case, a bad address, a field that is none', async () => {
    const post = (source: string, body?: unknown) => ask('POST', of(`connections/${source}`), body);
    const refused = await post('ringwearable');
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        code: 'source.data-source',
        at: 'data_source',
        problems: [
          'StrapWearable',
          'RingWearable',
          'GpsWatch',
          'FitnessBand',
          'ConnectedScale',
          'SportsWatch',
          'GlucoseMonitor',
        ],
      },
    ]);
    expect((await post('RingWearable', { redirect_url: 'x' })).body).toMatchObject({
      code: 'admin.parameter',
      at: 'redirect_url',
    });
    expect((await post('RingWearable', { redirect_url: 'https://clinic.example/\ud800' })).status).toBe(400);
    expect((await post('RingWearable', { other: 1 })).status).toBe(400);
    expect((await post('RingWearable', [])).status).toBe(400);
    expect((await ask('POST', `patients/${'x'.repeat(65)}/connections/RingWearable`)).body).toMatchObject({
      code: 'admin.parameter',
      at: 'mrn',
    });
  });
});

describe('binding', () => {
  const body = { client_name: 'First Clinic', tyc_url: 'https://clinic.example/terms', complete_log_out: true };
  test('gives code, link and a salt that is kept nowhere', async () => {
    const answer = await ask('POST', of('binding'), body);
    expect(answer.body).toMatchObject({
      qrCode: expect.stringMatching(/^data:image\/png;base64,/),
      universalLink: expect.stringContaining('/app/bind/'),
      salt: expect.stringMatching(/^\d{6}$/),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const own = await ask('POST', of('binding'), { ...body, salt: 'MkrSlt' });
    expect(own.body['salt']).toBe('MkrSlt');
    if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
    for (const file of [place.database.file, `${place.database.file}-wal`])
      expect(readFileSync(file).includes('MkrSlt')).toBe(false);
    expect(JSON.stringify(log.lines)).not.toContain('MkrSlt');
  });
  test.each([undefined, null, false, true])('complete_log_out of %p is taken', async (complete) => {
    expect((await ask('POST', of('binding'), { ...body, complete_log_out: complete })).status).toBe(200);
  });
  test.each([
    ['client_name', { ...body, client_name: '' }],
    ['tyc_url', { ...body, tyc_url: 'terms' }],
    ['support_url', { ...body, support_url: 7 }],
    ['complete_log_out', { ...body, complete_log_out: 'yes' }],
    ['salt', { ...body, salt: 'abc' }],
    ['salt', { ...body, salt: 'abcdefg' }],
  ])('a bad %s is refused, and makes no user', async (field, bad) => {
    expect((await ask('POST', of('binding'), bad)).body).toMatchObject({ code: 'admin.parameter', at: field });
    expect((await ask('GET', `links?mrn=${mrn}`)).body).toMatchObject({ links: [] });
  });
});

describe('laboratory documents', () => {
  const upload = (file: Buffer = PDF, timezone = '-05:00') =>
    ask('POST', of(`labs?timezone=${encodeURIComponent(timezone)}`), file);
  test('from received to the delivered result, by document_id', async () => {
    const sent = await upload();
    expect([sent.status, sent.body['state']]).toEqual([202, 'received']);
    const { userId, documentId } = sent.body;
    expect(service.state.labDocuments.get(String(documentId))).toMatchObject({
      user: userId,
      timezone: '-05:00',
      kind: 'pdf',
    });
    const labs = async () => ((await ask('GET', of('labs'))).body['requests'] as Json[])[0];
    expect(await labs()).toMatchObject({ id: documentId, state: 'received', deliveryId: null });
    const result = {
      version: 1,
      data_structure: 'lab_result',
      client_uuid: 'client-1',
      user_id: userId,
      document_version: 1,
      document_id: documentId,
      lab_result: { biomarkers: [] },
    };
    await send('data', result);
    const arrived = await eventually(labs, (one) => one?.['state'] === 'arrived');
    expect(arrived).toMatchObject({ state: 'arrived', deliveryId: expect.stringMatching(/^dlv_/) });
  });
  test.each(['UTC', 'EST', '+3:00', '', '05:00'])('time zone %p is refused before anything is sent', async (zone) => {
    expect((await upload(PDF, zone)).body).toMatchObject({ code: 'admin.parameter', at: 'timezone' });
  });
  test('10 MB are taken, one byte more is not, nor another kind of file', async () => {
    const large = Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024 - PDF.length)]);
    expect((await upload(large)).status).toBe(202);
    expect((await upload(Buffer.concat([large, Buffer.from('x')]))).body['code']).toBe('http.too-large');
    expect((await upload(Buffer.from('GIF89a and more'))).body['code']).toBe('enrol.document');
    expect(await upload(Buffer.alloc(0))).toMatchObject({ status: 400, body: { code: 'enrol.empty-document' } });
  });
  test('is sent again where the service said that it failed, and told where its answer was lost', async () => {
    service.faults.set([{ path: '/lab/', status: 500, times: 2 }]);
    expect((await upload()).status).toBe(202);
    service.faults.set([{ path: '/lab/', status: 500 }]);
    expect(await upload()).toMatchObject({ status: 503, body: { code: 'source.failed' } });
    service.faults.set([{ path: '/lab/', drop: 'after', times: 1 }]);
    expect(await upload()).toMatchObject({ status: 504, body: { code: 'source.cut' } });
    service.faults.set([]);
    expect((await ask('GET', of('labs'))).body['requests']).toHaveLength(1);
  });
  test('a document that is cut short reaches nobody', async () => {
    const before = service.state.labDocuments.all().length;
    const socket = connectTo(gateway.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /admin/api/${of('labs?timezone=Z')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 1000\r\n\r\n`,
    );
    socket.write(PDF);
    await eventually(
      async () => (await ask('GET', `links?mrn=${mrn}`)).body['links'] as Json[],
      (links) => links.length === 1,
    );
    socket.destroy();
    await eventually(
      () => JSON.stringify(log.lines),
      (lines) => lines.includes('"status":499'),
    );
    expect(service.state.labDocuments.all().length).toBe(before);
    expect((await ask('GET', of('labs'))).body['requests']).toEqual([]);
  });
  test.each(['+14:30', '-14:01', '+24:00', '+01:00 ', 'z', '+0100'])('nor is time zone %p', async (zone) => {
    expect((await upload(PDF, zone)).body).toMatchObject({ code: 'admin.parameter', at: 'timezone' });
  });
  test('a time zone that is missing, twice, or beside another parameter is refused', async () => {
    for (const query of ['', '?timezone=Z&timezone=Z', '?timezone=Z&user_id=x'])
      expect([query, (await ask('POST', of(`labs${query}`), PDF)).status]).toEqual([query, 400]);
  });
  test('one byte more is not taken either when nobody says how long it is', async () => {
    async function* parts() {
      yield PDF;
      for (let i = 0; i < 161; i += 1) yield await Promise.resolve(Buffer.alloc(64 * 1024));
    }
    const answer = await fetch(`${url()}/admin/api/${of('labs?timezone=Z')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: parts() as never,
      duplex: 'half',
    } as RequestInit);
    expect(((await answer.json()) as Json)['code']).toBe('http.too-large');
  });
});

describe('profiles', () => {
  test('are tracked by request_id, and the limit of the service is passed on', async () => {
    const { userId } = await connect();
    const first = await ask('POST', of('profile'));
    expect([first.status, first.body['state']]).toEqual([202, 'received']);
    await ask('POST', of('profile'));
    await ask('POST', of('profile'));
    const refused = await ask('POST', of('profile'));
    expect([refused.status, refused.body['code']]).toEqual([429, 'source.too-many']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect((await ask('GET', of('profile'))).body).toMatchObject({ userId, requests: [{ state: 'received' }, {}, {}] });
  });
});

describe('monitoring rules', () => {
  const rule = { signals: { oxygenation: { threshold_min_float: 91 } } };
  test('of one patient and in general', async () => {
    await connect();
    expect((await ask('GET', of('monitoring-rules'))).body).toEqual({ rule: null });
    expect((await ask('PUT', of('monitoring-rules'), rule)).body).toMatchObject({ rule });
    expect((await ask('GET', of('monitoring-rules'))).body).toMatchObject({ rule });
    expect((await ask('GET', 'monitoring-rules')).body).toEqual({ rule: null });
    expect((await ask('PUT', 'monitoring-rules', rule)).body).toMatchObject({ rule: { user_id: null } });
    expect((await ask('PUT', 'monitoring-rules', { signals: { weight: {} } })).body['code']).toBe('source.rule');
    expect((await ask('PUT', 'monitoring-rules', {})).body).toMatchObject({ status: 400, code: 'admin.parameter' });
  });
});

test('what is overdue is listed with its patient', async () => {
  expect((await ask('GET', 'overdue')).body).toEqual({ requests: [] });
  const { userId } = await connect();
  const user = { client: 'client-1', user: String(userId) };
  const at = new Date(Date.now() - 25 * 3_600_000);
  for (const [id, kind] of [
    ['doc-late', 'lab'],
    ['req-late', 'profile'],
  ] as const)
    await gateway.store.use(enrolSet).write('enrol.request', { tenant: 'default', user, at, id, kind, mrn });
  expect((await ask('GET', 'overdue')).body).toEqual({
    requests: [
      { id: 'doc-late', kind: 'lab', mrn, askedAt: at.toISOString() },
      { id: 'req-late', kind: 'profile', mrn, askedAt: at.toISOString() },
    ],
  });
  expect((await ask('GET', of('labs'))).body['requests']).toMatchObject([{ id: 'doc-late', state: 'overdue' }]);
  expect((await ask('GET', of('profile'))).body['requests']).toMatchObject([{ id: 'req-late', state: 'overdue' }]);
});

test('no line of the log names a patient, a user or a document', () => {
  const lines = JSON.stringify(log.lines);
  for (const word of ['Marker', '"u-']) expect(lines).not.toContain(word);
});
