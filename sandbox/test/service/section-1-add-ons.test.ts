import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.ts';
import { authorizerPath, freshService, labParts, listenForHooks, PROFILE, RULES, USER } from './support.ts';

const { ask, activate, authorizer, client, form, grant, lab, profile, rules, service, signed } = freshService();
const addOns = async (): Promise<Record<string, boolean>> =>
  (await ask('GET', '/_control/clients/client-1')).body['addOns'] as Record<string, boolean>;
const put = (body: unknown) =>
  ask('PUT', '/_control/clients/client-1', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('section 1, active by default', () => {
  test.each([
    ['Time Zone', 'time_zone', true, true],
    ['Data Cleaning', 'data_cleaning', true, true],
    ['Activate Granular Data', 'granular_data', false, false],
    ['Notification Webhook', 'notification_webhook', false, false],
    ['Callback URL Setup', 'callback_url_setup', false, false],
    ['Connections Page (sandbox)', 'connections_page', true, false],
    ['Pre-Existing Data', 'pre_existing_data', true, false],
    ['Steps Events in API', 'steps_events_in_api', false, false],
    ['Lab Data (beta)', 'lab_data', false, false],
    ['Clinical Ready (beta)', 'clinical_ready', false, false],
    ['Device Metadata (beta)', 'device_metadata', false, false],
    ['User Health Profile', 'user_health_profile', false, false],
    ['Health Monitoring (beta)', 'health_monitoring', false, false],
    ['Branded Auth (on hold)', 'branded_auth', false, false],
  ])('%s', async (title, name, inSandbox, inProduction) => {
    expect((await addOns())[name]).toBe(inSandbox);
    await put({ environment: 'production' });
    expect((await addOns())[name]).toBe(inProduction);
    const { text } = await ask('GET', '/portal', { headers: signed('secretKey') });
    expect(text.replace(/>\s+</g, '><')).toContain(
      `<td>${title}</td><td>${inProduction ? 'active' : 'not active'}</td>`,
    );
  });
});

test('section 1, a feature that is not activated is 403, and is there once support has activated it', async () => {
  expect((await lab(labParts())).status).toBe(403);
  expect((await profile()).status).toBe(403);
  expect((await rules('GET')).status).toBe(403);
  activate('lab_data', 'user_health_profile', 'health_monitoring');
  expect((await lab(labParts())).status).toBe(200);
  expect((await profile()).status).toBe(202);
  expect((await rules('GET')).status).toBe(404);
});

test('section 1, no endpoint of the service activates an add-on, and the portal does not either', async () => {
  await form('/portal', { lab_data: 'true', 'addOns[lab_data]': 'true' }, signed('secretKey'));
  expect((await addOns())['lab_data']).toBe(false);
});

test('section 1, Branded Auth is refused as on hold', async () => {
  expect((await put({ addOns: { branded_auth: true } })).status).toBe(409);
  expect((await put({ addOns: { branded_auth: false } })).status).toBe(200);
  expect((await put({ addOns: { nonsense: true } })).status).toBe(400);
});

describe('section 1, Connections Page', () => {
  const path = `/connections/client-1/${USER}`;
  test('has a button per data source, and leads to its authorization', async () => {
    const { status, text } = await ask('GET', path);
    expect([status, text.match(/<button/g)?.length]).toEqual([200, 7]);
    const { status: moved, headers } = await form(path, { data_source: 'GpsWatch' });
    expect([moved, String(headers['location'])]).toEqual([
      303,
      expect.stringContaining('/provider/GpsWatch/authorize?state='),
    ]);
    await grant('GpsWatch');
    expect((await ask('GET', path)).text.match(/<button/g)?.length).toBe(6);
  });
  test('is not for production', async () => {
    await put({ environment: 'production', addOns: { connections_page: true } });
    expect((await ask('GET', path)).status).toBe(403);
    expect((await form(path, { data_source: 'GpsWatch' })).status).toBe(403);
  });
  test('knows no other client, source or user', async () => {
    expect((await ask('GET', `/connections/nobody/${USER}`)).status).toBe(404);
    expect((await ask('GET', `/connections/client-1/${'x'.repeat(51)}`)).status).toBe(404);
    expect((await form(path, { data_source: 'gpswatch' })).status).toBe(400);
  });
});

describe('section 1, Callback URL Setup', () => {
  const query = `?redirect_url=${encodeURIComponent('https://clinic.example/back?a=1')}`;
  test('without it the user stays', async () => {
    const done = await grant('RingWearable', USER, 'client-1', 'a', query);
    expect([done.status, done.headers['location']]).toEqual([200, undefined]);
  });
  test('with it the user goes to the address', async () => {
    activate('callback_url_setup');
    const done = await grant('RingWearable', USER, 'client-1', 'a', query);
    expect([done.status, done.headers['location']]).toEqual([303, 'https://clinic.example/back?a=1']);
  });
  test('with it and without an address the user stays', async () => {
    activate('callback_url_setup');
    expect((await grant()).status).toBe(200);
  });
});

describe('section 1, Notification Webhook', () => {
  test('tells of a new user, a connection and its end, and of nothing while it is not active', async () => {
    const hooks = await listenForHooks();
    service().putClient({ ...client(), notificationWebhook: hooks.url });
    await grant();
    activate('notification_webhook');
    await grant('GpsWatch', 'user-2');
    await ask('POST', '/api/v1/user_id/user-2/data_sources/revoke_auth', { headers: signed('secretKey') });
    await eventually(
      () => hooks.got.length,
      (n) => n >= 3,
    );
    const told = hooks.got.map(({ user_id, data_source, action }) => [user_id, data_source, action]);
    expect(told.sort()).toEqual([
      ['user-2', '', 'user_created'],
      ['user-2', 'GpsWatch', 'user_connected'],
      ['user-2', 'GpsWatch', 'user_disconnected'],
    ]);
    expect(hooks.got[0]).toEqual({
      client_uuid: 'client-1',
      user_id: 'user-2',
      data_source: expect.any(String),
      action: expect.any(String),
      level: 'info',
      message: expect.any(String),
      action_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
      environment: 'sandbox',
    });
  });
});

test('section 1, the two kinds of provider stand side by side', async () => {
  expect((await authorizer(USER, 'IosHealth')).status).toBe(400);
  expect((await ask('GET', authorizerPath(), { headers: signed('secretKey') })).status).toBe(200);
});

test('the paths of section 1 that are not there are not there', async () => {
  expect((await ask('POST', '/api/v1/add_ons')).status).toBe(404);
  expect((await ask('GET', PROFILE)).status).toBe(405);
  expect((await ask('DELETE', RULES)).headers['allow']).toBe('GET, PUT');
});
