import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, anAlertEvent, type Json } from '../../support/payloads/index.ts';
import {
  eventsOf,
  isSignedBy,
  resourcesOf,
  startReceiver,
  type Receiver,
} from '../../support/subscriptions/start-receiver.ts';
import { extension, startTold, TOPIC, type Told, type Wanted } from '../../support/subscriptions/start-told.ts';

jest.setTimeout(120_000);

let told: Told;
let receiver: Receiver;
let token: string;
beforeAll(async () => {
  told = await startTold(sqlitePlace);
  token = await (await told.backend()).token();
});
afterAll(() => told.stop());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const events = () => eventsOf(receiver.ofType('event-notification'));
const untilTold = (count: number) =>
  eventually(
    () => events(),
    (found) => found.length >= count,
    20_000,
  );
async function subscribe(wanted: Omit<Wanted, 'endpoint'>) {
  const made = await told.subscribe(token, { endpoint: receiver.url, ...wanted });
  await eventually(
    () => told.stateOf(token, made.id),
    (state) => state === 'active',
  );
  return made;
}

test('the CapabilityStatement names the topics and the profile', async () => {
  const { body } = await told.ask('GET', 'metadata', token);
  const [rest] = body['rest'] as { resource: Json[] }[];
  const subscription = rest?.resource.find(({ type }) => type === 'Subscription') ?? {};
  expect(subscription['supportedProfile']).toEqual([
    'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription',
  ]);
  expect((subscription['extension'] as { valueCanonical: string }[]).map((one) => one.valueCanonical)).toEqual(
    ['measurement', 'laboratory-report', 'alert', 'patient-connection'].map((kind) => `${TOPIC}/${kind}`),
  );
});

test('what apps are told and answered is R4', async () => {
  await told.enrol('valid');
  const { id, body } = await subscribe({ topic: 'alert', content: 'full-resource' });
  await told.deliver(anAlertEvent({ userId: 'valid' }));
  await untilTold(1);
  const { validate } = loadValidator();
  const problems = (resource: unknown) =>
    validate(resource as Json)
      .filter(({ severity }) => severity === 'error')
      .map(({ expression, rule }) => [rule, expression]);
  const answers = [
    'metadata',
    'Subscription',
    `Subscription/${id}`,
    `Subscription/${id}/$status`,
    `Subscription/${id}/$events?content=full-resource`,
    `Subscription/${id}/$events?content=empty`,
  ];
  expect(problems(body)).toEqual([]);
  for (const path of answers) expect([path, problems((await told.ask('GET', path, token)).body)]).toEqual([path, []]);
  for (const { bundle } of receiver.all()) expect(problems(bundle)).toEqual([]);
});

describe('of a topic', () => {
  test('patient-connection: who is connected is named, who is disconnected is not', async () => {
    await subscribe({ topic: 'patient-connection' });
    const patient = await told.enrol('connected');
    await untilTold(1);
    expect(events()).toEqual([{ number: 1, focus: `${told.base}/fhir/${patient}` }]);
    await told.admin('DELETE', 'links/connected?reason=test&charted=keep');
    await untilTold(2);
    expect(events()[1]).toEqual({ number: 2, focus: null });
  });

  test('alert: an alert and no measurement', async () => {
    await told.enrol('alerted');
    await subscribe({ topic: 'alert' });
    await told.deliver(aClinicalReady({ userId: 'alerted' }));
    await told.deliver(anAlertEvent({ userId: 'alerted' }));
    await untilTold(1);
    expect(events().map(({ number }) => number)).toEqual([1]);
  });

  test('laboratory-report: the report and none of its results', async () => {
    await told.enrol('lab');
    await subscribe({ topic: 'laboratory-report', content: 'full-resource' });
    expect((await told.deliver(aLabResult({ userId: 'lab' }))).state).toBe('delivered');
    await untilTold(1);
    const entries = receiver.ofType('event-notification').flatMap(resourcesOf);
    expect(entries.map((entry) => (entry['resource'] as Json)['resourceType'])).toEqual(['DiagnosticReport']);
  });

  test('measurement: by code and patient', async () => {
    const patient = await told.enrol('measured');
    await told.enrol('somebody');
    await subscribe({ filters: [`Observation?patient=${patient}&code=http://loinc.org|8867-4`] });
    await told.deliver(aClinicalReady({ userId: 'somebody' }));
    await told.deliver(aClinicalReady({ userId: 'measured' }));
    const pulses = told
      .chart(patient)
      .filter((one) => JSON.stringify(one['code']).includes('"8867-4"'))
      .map((one) => `${told.base}/fhir/Observation/${String(one['id'])}`);
    await untilTold(pulses.length);
    expect(events().map(({ focus }) => focus)).toEqual(pulses);
    const methods = () =>
      receiver
        .ofType('event-notification')
        .flatMap(resourcesOf)
        .map((entry) => (entry['request'] as Json)['method']);
    expect(new Set(methods())).toEqual(new Set(['POST']));
  });
});

test('an app turns a subscription off and on again, and its numbers go on', async () => {
  await told.enrol('pausing');
  const { id, body } = await subscribe({ topic: 'alert' });
  await told.deliver(anAlertEvent({ userId: 'pausing' }));
  await untilTold(1);
  const current = (await told.ask('GET', `Subscription/${id}`, token)).body;
  expect(current['channel']).not.toHaveProperty('header');
  const off = await told.ask('PUT', `Subscription/${id}`, token, { ...current, status: 'off' });
  expect(off.body['status']).toBe('off');
  await told.deliver(anAlertEvent({ userId: 'pausing', measuredAt: '2026-11-14T04:12:00+01:00' }));
  expect((await told.ask('PUT', `Subscription/${id}`, token, body)).body['status']).toBe('requested');
  await eventually(
    () => told.stateOf(token, id),
    (state) => state === 'active',
  );
  await told.deliver(anAlertEvent({ userId: 'pausing', measuredAt: '2026-11-14T05:12:00+01:00' }));
  await untilTold(2);
  // What happened while it was off may still be in the queue when it is on again, and is then told too.
  const numbers = events().map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});

test('an app that wants heartbeats hears one where nothing happens, and nobody else does', async () => {
  await subscribe({ channel: [extension('backport-heartbeat-period', { valueUnsignedInt: 10 })] });
  await subscribe({});
  const [beat] = await eventually(
    () => receiver.ofType('heartbeat'),
    (found) => found.length >= 1,
    40_000,
  );
  if (beat === undefined) throw new Error('there was none');
  expect(String(beat.headers['webhook-id'])).toContain('.heartbeat.');
  expect(loadValidator().isValid(beat.bundle)).toBe(true);
  expect(eventsOf([beat])).toEqual([]);
});

test('a rotated secret signs beside the one before it', async () => {
  await told.enrol('rotating');
  const { id, secret } = await subscribe({ topic: 'alert' });
  const { body } = await told.ask('POST', `Subscription/${id}/$rotate-secret`, token);
  const [{ valueString: next } = { valueString: '' }] = body['parameter'] as { valueString: string }[];
  await told.deliver(anAlertEvent({ userId: 'rotating' }));
  await untilTold(1);
  const [message] = receiver.ofType('event-notification');
  if (message === undefined) throw new Error('nothing came');
  expect([isSignedBy(secret, message), isSignedBy(next, message), isSignedBy('whsec_AAAA', message)]).toEqual([
    true,
    true,
    false,
  ]);
});
