import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  USER,
  aClinicalReady,
  aLabResult,
  aNotification,
  aServiceLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  withAt,
} from '../../support/payloads/index.ts';
import {
  DATA_SECRET,
  NOTIFICATION_SECRET,
  OLD_DATA_SECRET,
  outcome,
  startHookGateway,
  type HookGateway,
} from './hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway()));
afterAll(() => hooks.stop());

const DELIVERY_ID = /^dlv_[0-9a-z]{26}$/;

test('an authentic delivery is answered with 202 and nothing but its id', async () => {
  const answer = await hooks.postData(aClinicalReady());
  expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([
    202,
    { id: expect.stringMatching(DELIVERY_ID) as unknown },
    'application/json; charset=utf-8',
  ]);
});

test('what was acknowledged can be read back with its whole timeline', async () => {
  const body = JSON.stringify(aClinicalReady({ bundleId: 'timeline', documentVersion: 4 }));
  const { id } = await hooks.deliver(body);
  const found: unknown = (await hooks.admin('get', `deliveries/${id}`)).body;
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
  expect(found).toEqual({
    id,
    hook: 'data',
    receivedAt: instant,
    state: 'parked',
    reason: 'unlinked',
    faultCode: null,
    detail: null,
    stateAt: instant,
    dataStructure: 'clinical_ready',
    documentVersion: 4,
    bodyBytes: Buffer.byteLength(body),
    findings: [],
    requestId: expect.stringMatching(/^req_/) as unknown,
    sender: 'secret-path',
    userId: USER,
    mrn: null,
    duplicateOf: null,
    hasBody: true,
    assignedTo: null,
    notes: [],
    attempts: [],
    wrote: [],
    steps: [
      { at: instant, from: null, to: 'received', reason: null, faultCode: null, actor: 'source' },
      { at: instant, from: 'received', to: 'parked', reason: 'unlinked', faultCode: null, actor: 'gateway' },
    ],
  });
});

describe('each structure waits for what it lacks', () => {
  test.each([
    ['clinical_ready', aClinicalReady({ bundleId: 'each' }), 'unlinked'],
    ['steps_event', aStepsEvent(), 'unlinked'],
    ['user_profile', aUserProfile(), 'unlinked'],
    ['alert_event', anAlertEvent(), 'unlinked'],
    ['alert_summary', anAlertSummary(), 'unlinked'],
    ['a FHIR laboratory result', aLabResult(), 'unlinked'],
    ["a laboratory result in the service's JSON", aServiceLabResult({ documentId: 'service' }), 'unlinked'],
    ['a structure nobody taught us', envelopeOf('activity_summary', 2, {}), 'unmapped'],
    [
      'an event with device metadata and no mapping',
      { ...envelopeOf('body_blood_pressure_event', 2, {}), device_source_data_array: [{ model_string: 'C1' }] },
      'unmapped',
    ],
  ])('%s', async (_name, value, reason) => {
    expect(outcome(await hooks.deliver(value))).toEqual(['parked', reason]);
  });
});

test('arithmetic that disagrees is shown, and the document goes on', async () => {
  const { state, reason, findings } = await hooks.deliver(
    withAt(anAlertSummary({ day: '2026-10-01' }), 'alerts.total_alerts_int', 3),
  );
  expect([state, reason, findings]).toEqual(['parked', 'unlinked', ['alerts.total alerts.total_alerts_int']]);
});

test('a notification is handled', async () => {
  const { hook, state, reason, dataStructure, userId } = await hooks.notify(aNotification());
  expect({ hook, state, reason, dataStructure, userId }).toEqual({
    hook: 'notification',
    state: 'delivered',
    reason: 'notification',
    dataStructure: 'notification',
    userId: USER,
  });
});

test('a notification of another environment is handled, and says so', async () => {
  const { state, findings } = await hooks.notify(aNotification({ fields: { environment: 'sandbox' } }));
  expect([state, findings]).toEqual(['delivered', ['notification.environment environment']]);
  expect(
    (await hooks.notify(aNotification({ action: 'again', fields: { environment: 'Production' } }))).findings,
  ).toEqual([]);
});

test('both secrets are taken during a rotation', async () => {
  const body = JSON.stringify(envelopeOf('rotation', 1, {}));
  const answers = await Promise.all(
    [DATA_SECRET, OLD_DATA_SECRET].map((secret) => hooks.post(`/webhooks/${secret}/data`, body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
});

describe('the two webhooks are apart', () => {
  test('a clinical document at the notification webhook never becomes one', async () => {
    const { hook, state, reason } = await hooks.notify(aClinicalReady({ bundleId: 'apart-1' }));
    expect({ hook, state, reason }).toEqual({ hook: 'notification', state: 'quarantined', reason: 'shape' });
  });

  test('what the notification webhook was sent never keeps the same document from the data webhook', async () => {
    const body = JSON.stringify(aClinicalReady({ bundleId: 'apart-2' }));
    await hooks.notify(body);
    expect(outcome(await hooks.deliver(body))).toEqual(['parked', 'unlinked']);
  });

  test('what the data webhook was sent never keeps the same notification from its own', async () => {
    const body = JSON.stringify(aNotification({ action: 'user_disconnected' }));
    expect(outcome(await hooks.deliver(body))).toEqual(['quarantined', 'shape']);
    expect(outcome(await hooks.notify(body))).toEqual(['delivered', 'notification']);
  });

  test('a foreign notification is quarantined', async () => {
    expect(outcome(await hooks.notify(aNotification({ clientUuid: 'foreign' })))).toEqual([
      'quarantined',
      'foreign-client',
    ]);
  });

  test('a notification that is not JSON is acknowledged and quarantined', async () => {
    const answer = await hooks.post(`/webhooks/${NOTIFICATION_SECRET}/notifications`, 'no');
    expect(outcome(await hooks.settled((answer.body as { id: string }).id))).toEqual(['quarantined', 'not-json']);
  });
});

test('nothing of a patient is in the log', async () => {
  await hooks.deliver(aClinicalReady({ userId: 'MarkerUser', bundleId: 'MarkerBundle' }));
  expect(JSON.stringify(hooks.log.lines)).not.toMatch(/Marker|data-secret/);
});
