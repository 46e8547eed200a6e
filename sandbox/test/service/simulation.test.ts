import { describe, expect, test } from '@jest/globals';
import { makeLabReport, printPages } from '../../index.ts';
import { basic, multipart, raw, signedFor } from './support.ts';
import {
  CLIENT,
  codesOf,
  dateOf,
  DAY_MS,
  freshSimulation,
  FROM,
  HOUR_MS,
  observationsOf,
  type Told,
} from './simulated.ts';

const { bodies, connect, forget, kill, notes, now, pass, restart, service, simulation, switchAddOn, told } =
  freshSimulation();

const client = () => service().putClient({ uuid: CLIENT });
const dates = (all: readonly Told[]): string[] => [...new Set(all.map(dateOf))].sort();
const revoke = (user: string) =>
  raw(service().url, 'POST', `/api/v1/user_id/${user}/data_sources/revoke_auth`, {
    headers: signedFor(client(), 'secretKey'),
  });

describe('1 Pre-Existing Data', () => {
  test('7 days of an API-based source, 29 of a mobile one, at once, and no alert about them', async () => {
    connect('user-1', 'RingWearable', { account: 'person-1' });
    connect('user-2', 'IosHealth', { account: 'person-2' });
    await pass(0.2);
    const ofUser = (user: string) => dates(told('clinical_ready').filter(({ user_id }) => user_id === user));
    expect(ofUser('user-1').length).toBeLessThanOrEqual(7);
    expect(ofUser('user-1').length).toBeGreaterThan(3);
    expect(ofUser('user-2').length).toBeLessThanOrEqual(29);
    expect(ofUser('user-2').length).toBeGreaterThan(20);
    expect((ofUser('user-2')[0] ?? '') >= '2026-02-18').toBe(true);
    expect(
      told('alert_summary').filter((one) => JSON.stringify(one).includes('"summary_date_string":"2026-03-1')),
    ).toEqual([]);
  });
  test('none without the add-on, and none when a source is connected again', async () => {
    switchAddOn('pre_existing_data', false);
    connect('user-1', 'RingWearable');
    await pass(0.1);
    expect(told('clinical_ready')).toEqual([]);
    switchAddOn('pre_existing_data', true);
    await revoke('user-1');
    await pass(0.2);
    connect('user-1', 'RingWearable');
    await pass(0.1);
    expect(told('clinical_ready').filter((one) => dateOf(one) < '2026-03-19')).toEqual([]);
  });
  test('GPS watch: the same account under a second user_id brings none', async () => {
    connect('user-1', 'GpsWatch', { account: 'shared' });
    connect('user-2', 'GpsWatch', { account: 'shared' });
    await pass(0.1);
    const users = new Set(told('clinical_ready').map(({ user_id }) => user_id));
    expect([...users]).toEqual(['user-1']);
  });
  test('sports watch: no physical or body summaries of the time before', async () => {
    connect('user-1', 'SportsWatch');
    await pass(0.1);
    const codes = new Set(told('clinical_ready').flatMap(codesOf));
    expect([...codes].filter((code) => ['steps', 'weight', 'resting_heart_rate', 'distance'].includes(code))).toEqual(
      [],
    );
    expect(codes).toContain('sleep_duration');
  });
  test('strap: the most recent body summary for all of the days', async () => {
    connect('user-1', 'StrapWearable', { account: 'person-3' });
    await pass(0.1);
    const weights = told('clinical_ready')
      .flatMap((one) => observationsOf(one).filter((_, i) => codesOf(one)[i] === 'weight'))
      .map((one) => (one['valueQuantity'] as { value: number }).value);
    expect(weights.length).toBeGreaterThan(3);
    expect(new Set(weights).size).toBe(1);
  });
  test('a health score for each extracted day within 24 hours, where what is not published is wanted', async () => {
    service().putClient({ uuid: CLIENT, sendsUnpublished: true });
    connect('user-1', 'RingWearable');
    connect('user-2', 'IosHealth');
    await pass(0.03);
    const dayOf = (one: Told): string =>
      `${one.user_id} ${/"datetime_string":"([\d-]{10})/.exec(JSON.stringify(one))?.[1] ?? ''}`;
    const extracted = new Set(
      told()
        .filter(({ data_structure }) => data_structure.endsWith('_summary'))
        .map(dayOf),
    );
    expect(extracted.size).toBeGreaterThan(25);
    expect(told('oxygenation_event').length).toBeGreaterThan(0);
    await pass(0.97);
    expect(told('health_score').map(dayOf).sort()).toEqual([...extracted].sort());
  });
});

describe('3 authorized and disconnected', () => {
  test('data may keep arriving for hours after a revocation, and none of later comes', async () => {
    connect('user-1', 'RingWearable');
    await pass(3);
    await revoke('user-1');
    const endedAt = now();
    await pass(5);
    const until = endedAt + 2 * HOUR_MS;
    const made = told('clinical_ready').map(
      (one) =>
        (one['clinical_ready'] as { metadata: { fhir_export_completed_at: string } }).metadata.fhir_export_completed_at,
    );
    expect(made.filter((at) => Date.parse(at) > until)).toEqual([]);
    expect(made.length).toBeGreaterThan(5);
    const steps = told('steps_event').map((one) =>
      Date.parse(/"datetime_string":"([^"]+)"/.exec(JSON.stringify(one))?.[1] ?? ''),
    );
    expect(steps.filter((at) => at > until)).toEqual([]);
  });
  test('another client that shares the account keeps its data', async () => {
    service().putClient({ uuid: 'client-2', addOns: client().addOns, dataWebhook: client().dataWebhook });
    connect('user-1', 'RingWearable');
    service().connect({
      client: 'client-2',
      user: 'user-9',
      dataSource: 'RingWearable',
      kind: 'api',
      state: 'connected',
      account: 'person-0',
      granted: ['all'],
    });
    await revoke('user-1');
    await pass(3);
    const later = told('clinical_ready').filter((one) => dateOf(one) >= '2026-03-21');
    expect([...new Set(later.map(({ user_id }) => user_id))]).toEqual(['user-9']);
  });
  test('4.7 a connection without all permissions lacks what was denied', async () => {
    connect('user-1', 'IosHealth', { granted: ['activity'] });
    await pass(2);
    const codes = new Set(told('clinical_ready').flatMap(codesOf));
    expect(codes).toContain('steps');
    for (const denied of ['weight', 'sleep_duration', 'resting_heart_rate', 'average_heart_rate', 'spo2'])
      expect(codes).not.toContain(denied);
    expect(notes().find(({ action }) => action === 'user_connected')).toMatchObject({ level: 'warning' });
  });
});

describe('1 add-ons are looked at when something is due', () => {
  test('without Clinical Ready, Steps Events and Health Monitoring nothing of theirs is sent', async () => {
    for (const name of ['clinical_ready', 'steps_events_in_api', 'health_monitoring'] as const)
      switchAddOn(name, false);
    connect('user-1', 'RingWearable');
    await pass(2);
    expect(told()).toEqual([]);
    switchAddOn('steps_events_in_api', true);
    await pass(1);
    expect([...new Set(told().map(({ data_structure }) => data_structure))]).toEqual(['steps_event']);
  });
  test('Device Metadata puts the devices at the top', async () => {
    switchAddOn('device_metadata', false);
    connect('user-1', 'RingWearable');
    await pass(0.1);
    const withDevices = () => [
      ...new Set(told('clinical_ready').map((one) => Array.isArray(one['device_source_data_array']))),
    ];
    expect(withDevices()).toEqual([false]);
    switchAddOn('device_metadata', true);
    forget();
    await pass(3);
    expect(withDevices()).toEqual([true]);
  });
});

describe('1 Steps Events', () => {
  test('a failed fetch is told to the Notification Webhook, by an error', async () => {
    for (let n = 0; n < 6; n += 1) connect(`user-${n}`, 'FitnessBand', { account: `person-${n}` });
    await pass(4);
    const failures = notes().filter(({ level }) => level === 'error');
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]).toEqual({
      client_uuid: CLIENT,
      user_id: expect.any(String),
      data_source: 'FitnessBand',
      action: expect.any(String),
      level: 'error',
      message: expect.any(String),
      action_datetime: expect.stringMatching(/^2026-03-2\dT[\d:.]+$/),
      environment: 'sandbox',
    });
    const hours = told('steps_event').length / 6 / 4;
    expect(hours).toBeGreaterThan(5);
    expect(hours).toBeLessThanOrEqual(24);
  });
});

describe('6 alert_event', () => {
  test('by the rule of the user before that of the client; near the measurement, once for each', async () => {
    const put = (query: string, min: number) =>
      raw(service().url, 'PUT', `/api/v2/health_monitoring/rules${query}`, {
        headers: { authorization: basic(CLIENT, client().password), 'content-type': 'application/json' },
        body: JSON.stringify({ signals: { oxygenation: { threshold_min_float: min } } }),
      });
    expect((await put('', 50)).status).toBe(200);
    expect((await put('?user_id=user-1', 100)).status).toBe(200);
    connect('user-1', 'RingWearable', { account: 'person-1' });
    connect('user-2', 'RingWearable', { account: 'person-1' });
    await pass(3);
    const events = told('alert_event');
    expect([...new Set(events.map(({ user_id }) => user_id))]).toEqual(['user-1']);
    expect(events.length).toBeGreaterThan(3);
    expect(events.every(({ document_version }) => document_version === 1)).toBe(true);
    expect(new Set(bodies()).size).toBe(bodies().length);
  });
});

describe('6 user_profile', () => {
  const ask = () =>
    raw(service().url, 'POST', '/api/v2/user_profile', {
      headers: { authorization: basic(CLIENT, client().password), 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'user-1' }),
    });
  test('comes when it was asked for and there is enough, under the id of the request, with a rising version', async () => {
    connect('user-1', 'IosHealth');
    await pass(1);
    expect(told('user_profile')).toEqual([]);
    const { body } = await ask();
    await pass(0.01);
    const second = await ask();
    await pass(0.01);
    const ids = told('user_profile').map((one) => [
      (one['user_profile_data'] as { metadata: { request_id_string: string } }).metadata.request_id_string,
      one.document_version,
    ]);
    expect(ids).toEqual([
      [body['request_id'], 1],
      [second.body['request_id'], 2],
    ]);
  });
  test('does not come for a user who has connected nothing', async () => {
    expect((await ask()).status).toBe(202);
    await pass(1);
    expect(told()).toEqual([]);
  });
});

describe('6 structured lab result', () => {
  const submit = (bytes: Uint8Array) => {
    const made = multipart(
      { name: 'file', value: Buffer.from(bytes), fileName: 'report.pdf' },
      { name: 'timezone', value: '+01:00' },
    );
    return raw(service().url, 'POST', `/lab/client_uuid/${CLIENT}/user_id/user-1`, {
      ...made,
      headers: { ...made.headers, authorization: `Bearer ${client().lab.token}` },
    });
  };
  test('a report is read and delivered under its document id; illegible and repeated ones are not', async () => {
    const report = await printPages(makeLabReport({ seed: 3, n: 1 }).pages);
    const { body } = await submit(report);
    await submit(report);
    await submit(Buffer.from('%PDF-1.4\nnothing to be read\n'));
    await simulation().settled();
    expect(
      told().map((one) => [one.data_structure, JSON.stringify(one).includes(String(body['document_id']))]),
    ).toEqual([['lab_result', true]]);
    const shown = await raw(service().url, 'GET', '/_control/simulation');
    expect(shown.body['laboratory']).toMatchObject({ read: 1, duplicate: 1 });
  }, 60_000);

  test('a report to try it with', async () => {
    const answer = await fetch(`${service().url}/_control/lab-report/1/2`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect((await answer.text()).startsWith('%PDF-')).toBe(true);
    expect((await raw(service().url, 'GET', '/_control/lab-report/one/2')).status).toBe(400);
  });
});

describe('a restart', () => {
  const live = async (stops: readonly number[], again: () => Promise<void> = restart): Promise<readonly string[]> => {
    service().putClient({ uuid: CLIENT, sendsUnpublished: true });
    connect('user-1', 'RingWearable', { account: 'person-3' });
    connect('user-1', 'ConnectedScale', { account: 'person-3' });
    connect('user-2', 'AndroidHealth', { account: 'person-4' });
    for (const at of stops) {
      await simulation().runUntil(Date.parse(FROM) + at * DAY_MS);
      await again();
    }
    await simulation().runUntil(Date.parse(FROM) + 9 * DAY_MS);
    await simulation().settled();
    return [...bodies()].sort();
  };
  let whole: readonly string[] = [];
  test('is not needed', async () => {
    whole = await live([]);
    expect(whole.length).toBeGreaterThan(200);
    expect(new Set(whole).size).toBe(whole.length);
  }, 60_000);
  test('forgets nothing, sends nothing twice with other content, and comes to the same', async () => {
    const cut = await live([0, 0.02, 0.4, 1.7, 3.01, 6]);
    expect([...new Set(cut)]).toEqual(whole);
  }, 60_000);
  test('that nobody prepared for comes to the same: the file ends in the middle of a line', async () => {
    const parts = [0.97, 0.8, 0.613];
    const cut = await live([0.03, 2.2, 5], () => kill(parts.shift() ?? 1));
    expect([...new Set(cut)]).toEqual(whole);
  }, 60_000);
});

test('9 document_version of clinical_ready rises by one, and only with another content', async () => {
  connect('user-1', 'IosHealth');
  connect('user-1', 'RingWearable');
  await pass(8);
  const byId = Map.groupBy(
    told('clinical_ready'),
    (one) => (one['clinical_ready'] as { clinical_ready_data: { id: string } }).clinical_ready_data.id,
  );
  for (const versions of byId.values()) {
    const sorted = versions.toSorted((a, b) => a.document_version - b.document_version);
    expect(sorted.map(({ document_version }) => document_version)).toEqual(sorted.map((_, i) => i + 1));
  }
  expect([...byId.values()].some((versions) => versions.length > 1)).toBe(true);
});

describe('3 alert_summary, version n', () => {
  interface Summary {
    readonly metadata: { readonly datetime_string: string; readonly summary_date_string: string };
    readonly alerts: { readonly total_alerts_int: number; readonly summary_period_end_string: string };
  }
  const summaries = () =>
    told('alert_summary').map((one) => ({
      ...(one as unknown as Summary),
      user: one.user_id,
      version: one.document_version,
    }));

  test('comes from the first day on where pre-existing data has closed a baseline, and rises by one for each day of a user', async () => {
    for (let n = 0; n < 12; n += 1) connect(`user-${n}`, 'IosHealth', { account: `person-${n}` });
    await pass(12);
    const byDay = Map.groupBy(summaries(), ({ user, metadata }) => `${user} ${metadata.summary_date_string}`);
    expect(new Set(summaries().map(({ metadata }) => metadata.summary_date_string)).size).toBeGreaterThan(9);
    for (const one of summaries()) expect(one.metadata.datetime_string).toBe(one.alerts.summary_period_end_string);
    const days = [...byDay.values()].map((versions) => versions.toSorted((a, b) => a.version - b.version));
    for (const versions of days) expect(versions.map(({ version }) => version)).toEqual(versions.map((_, i) => i + 1));
    const retracted = days.filter(
      (versions) =>
        versions.length > 1 &&
        versions.at(-1)?.alerts.total_alerts_int === 0 &&
        versions.at(-2)?.alerts.total_alerts_int !== 0,
    );
    expect(retracted.length).toBeGreaterThan(0);
  }, 60_000);
});

test('9 every payload of the Data Webhook carries an integer version and document_version', async () => {
  service().putClient({ uuid: CLIENT, sendsUnpublished: true });
  connect('user-1', 'IosHealth');
  connect('user-1', 'RingWearable');
  await pass(3);
  const versions: Readonly<Record<string, number>> = { steps_event: 2, alert_event: 2, alert_summary: 2 };
  for (const one of told()) {
    expect([one['version'], one.data_structure]).toEqual([versions[one.data_structure] ?? 1, one.data_structure]);
    expect(Number.isInteger(one.document_version) && one.document_version >= 1).toBe(true);
  }
  expect(new Set(told().map(({ data_structure }) => data_structure)).size).toBeGreaterThan(8);
});
