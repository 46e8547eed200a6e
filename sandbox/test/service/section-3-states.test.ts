import { describe, expect, test } from '@jest/globals';
import { startService } from '../../index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testClock } from '../../../test/support/clock.ts';
import { stopAfterTest } from '../../../test/support/stop-after-test.ts';
import { freshService, labParts, raw, revokePath, signedFor, USER } from './support.ts';

const { activate, ask, authorizer, begin, clock, form, grant, lab, service, signed } = freshService();
const connection = (uuid = 'client-1', source = 'RingWearable') =>
  service().state.connections.get(JSON.stringify([uuid, USER, source]));

describe('section 3, not authorized to authorized', () => {
  test('by the provider granting access', async () => {
    const before = await authorizer();
    expect(before.body).toEqual({
      data_source: 'RingWearable',
      authorized: false,
      authorization_url: expect.any(String),
    });
    expect((await grant()).status).toBe(200);
    expect((await authorizer()).body).toEqual({ data_source: 'RingWearable', authorized: true });
  });
  test('not by refusing, and not twice by one address', async () => {
    const url = await begin();
    const state = url.searchParams.get('state') ?? '';
    expect((await form(url.pathname, { state, decision: 'refuse' })).status).toBe(200);
    expect((await authorizer()).body['authorized']).toBe(false);
    expect((await form(url.pathname, { state, account: 'a', decision: 'grant' })).status).toBe(404);
  });
  test('not by an address that has expired, or of another source', async () => {
    const url = await begin();
    const state = url.searchParams.get('state') ?? '';
    expect((await form('/provider/GpsWatch/authorize', { state, account: 'a', decision: 'grant' })).status).toBe(404);
    service().clock.advance(3_600_001);
    expect((await form(url.pathname, { state, account: 'a', decision: 'grant' })).status).toBe(410);
  });
  test('not by a form of another site', async () => {
    const url = await begin();
    const fields = { state: url.searchParams.get('state') ?? '', account: 'a', decision: 'grant' };
    expect((await form(url.pathname, fields, { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('section 3, authorized to disconnected', () => {
  test('the revoke operation ends all sources of the client', async () => {
    await grant();
    await grant('GpsWatch');
    expect((await ask('POST', revokePath(), { headers: signed('secretKey') })).status).toBe(200);
    expect((await authorizer()).body['authorized']).toBe(false);
    expect((await authorizer(USER, 'GpsWatch')).body['authorized']).toBe(false);
  });
  test('the provider takes hours, and data may arrive meanwhile', async () => {
    await grant();
    await ask('POST', revokePath(), { headers: signed('secretKey') });
    const { endedAt, dataUntil } = connection() ?? {};
    expect(endedAt).toBe(clock().now().getTime());
    expect((dataUntil ?? 0) - (endedAt ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  });
  test('other clients that share the account keep access', async () => {
    service().putClient({ uuid: 'client-2' });
    await grant();
    await grant('RingWearable', USER, 'client-2');
    await ask('POST', revokePath(), { headers: signed('secretKey') });
    expect((await authorizer(USER, 'RingWearable', 'client-2')).body['authorized']).toBe(true);
  });
  test('revocation at the provider ends that one connection', async () => {
    await grant();
    await grant('GpsWatch');
    const shown = await ask('GET', '/provider/RingWearable/access?account=an-account');
    expect(shown.text).toContain('First Clinic');
    const key = JSON.stringify(['client-1', USER, 'RingWearable']);
    expect((await form('/provider/RingWearable/access', { connection: key })).status).toBe(303);
    expect((await authorizer()).body['authorized']).toBe(false);
    expect((await authorizer(USER, 'GpsWatch')).body['authorized']).toBe(true);
  });
  test('connecting again is possible', async () => {
    await grant();
    await ask('POST', revokePath(), { headers: signed('secretKey') });
    await grant();
    expect((await authorizer()).body['authorized']).toBe(true);
  });
});

test('section 3, lab document: none to received', async () => {
  activate('lab_data');
  expect((await lab(labParts())).body).toEqual({
    document_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: 'received',
  });
});

test('section 3, state and simulated time survive a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-service-'));
  stopAfterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'service.ndjson');
  const real = testClock();
  const first = await startService({ host: '127.0.0.1', port: 0, clock: real, file, speed: 60 });
  stopAfterTest(() => first.stop());
  const made = first.putClient({ uuid: 'client-1', addOns: { health_monitoring: true } });
  const headers = { ...signedFor(made, 'password'), 'content-type': 'application/json' };
  const body = JSON.stringify({ signals: { oxygenation: { threshold_min_float: 90 } } });
  expect((await raw(first.url, 'PUT', '/api/v2/health_monitoring/rules', { headers, body })).status).toBe(200);
  real.advance(1_000);
  const stood = first.clock.now().getTime();
  await first.stop();
  const second = await startService({ host: '127.0.0.1', port: 0, clock: real, file });
  stopAfterTest(() => second.stop());
  expect([second.clock.speed(), second.clock.now().getTime()]).toEqual([60, stood]);
  expect((await raw(second.url, 'GET', '/api/v2/health_monitoring/rules', { headers })).body['signals']).toEqual({
    oxygenation: { threshold_min_float: 90 },
  });
});

test('section 3, time can be run faster and put forward', async () => {
  const json = { 'content-type': 'application/json' };
  expect((await ask('PUT', '/_control/clock', { headers: json, body: '{"speed":3600}' })).body['speed']).toBe(3600);
  const before = service().clock.now().getTime();
  clock().advance(1_000);
  expect(service().clock.now().getTime() - before).toBe(3_600_000);
  await ask('POST', '/_control/clock/advance', { headers: json, body: '{"seconds":60}' });
  expect(service().clock.now().getTime() - before).toBe(3_660_000);
  for (const body of ['{"speed":0}', '{"speed":"2"}', '[]', '{'])
    expect((await ask('PUT', '/_control/clock', { headers: json, body })).status).toBe(400);
});

test('no page of another site turns the clock', async () => {
  const headers = { 'content-type': 'text/plain', origin: 'https://evil.example' };
  const before = service().clock.now().getTime();
  expect((await ask('POST', '/_control/clock/advance', { headers, body: '{"seconds":86400}' })).status).toBe(403);
  expect(service().clock.now().getTime() - before).toBeLessThan(86_400_000);
});
