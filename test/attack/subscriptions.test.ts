import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { aClinicalReady, type Json } from '../support/payloads/index.ts';
import { eventsOf, resourcesOf, startReceiver, type Receiver } from '../support/subscriptions/start-receiver.ts';
import { aSubscription, EVERYTHING, extension, startTold, type Told } from '../support/subscriptions/start-told.ts';

/* What whoever has a token, or an endpoint, must not get by subscriptions. */

jest.setTimeout(120_000);

let told: Told;
let receiver: Receiver;
beforeAll(async () => {
  told = await startTold(sqlitePlace);
  receiver = await startReceiver();
});
afterAll(async () => {
  await told.stop();
  await receiver.stop();
});

const codeOf = ({ status, body }: { status: number; body: Json }): string =>
  `${status} ${String(body['resourceType'])}`;
/** Without the id of the request. */
const issueOf = (body: Json): Json => ({ ...(body['issue'] as Json[])[0], diagnostics: null });
const untilActive = (token: string, id: string) =>
  eventually(
    () => told.stateOf(token, id),
    (state) => state === 'active',
  );
const untilState = (id: string, wanted: string) =>
  eventually(
    async () => (await told.admin('GET', `subscriptions/${id}`)).body,
    ({ state }) => state === wanted,
  );
let users = 0;
const aUser = (): string => `user${(users += 1)}`;
/** The notifications of one subscription alone. */
const toldOf = (id: string) =>
  receiver.ofType('event-notification').filter(({ headers }) => String(headers['webhook-id']).startsWith(`${id}.`));

describe('another app', () => {
  test('finds no subscription that is not its own, by no way', async () => {
    const owner = await (await told.backend()).token();
    const thief = await (await told.backend()).token();
    const { id } = await told.subscribe(owner, { endpoint: receiver.url });
    const wanted = { ...aSubscription({ endpoint: receiver.url }), id, status: 'off' };
    const tries = [
      ['GET', `Subscription/${id}`],
      ['PUT', `Subscription/${id}`, wanted],
      ['PATCH', `Subscription/${id}`, [{ op: 'replace', path: '/status', value: 'off' }]],
      ['DELETE', `Subscription/${id}`],
      ['GET', `Subscription/${id}/$status`],
      ['GET', `Subscription/${id}/$events`],
      ['POST', `Subscription/${id}/$rotate-secret`],
    ] as const;
    for (const [method, path, body] of tries)
      expect([method, path, (await told.ask(method, path, thief, body)).status]).toEqual([method, path, 404]);
    const unknown = await told.ask('GET', 'Subscription/sub-00000000000000000000000000', thief);
    const other = await told.ask('GET', `Subscription/${id}`, thief);
    expect(issueOf(other.body)).toEqual(issueOf(unknown.body));
    expect((await told.ask('GET', 'Subscription', thief)).body['entry']).toEqual([]);
    expect((await told.ask('GET', `Subscription/$status?id=${id}`, thief)).body['total']).toBe(0);
    expect((await told.ask('GET', `Subscription/${id}`, owner)).status).toBe(200);
  });

  test('without a scope for subscriptions makes none, also with one for everything that is read', async () => {
    const token = await (await told.backend('system/*.cruds')).token();
    for (const [method, path] of [
      ['POST', 'Subscription'],
      ['GET', 'Subscription'],
      ['GET', 'Subscription/$status'],
    ] as const)
      expect(
        codeOf(
          await told.ask(
            method,
            path,
            token,
            method === 'POST' ? aSubscription({ endpoint: receiver.url }) : undefined,
          ),
        ),
      ).toBe('403 OperationOutcome');
  });

  test('subscribes to nothing that it may not read, and writes nothing else', async () => {
    const backend = await told.backend('system/Subscription.cruds system/Condition.rs system/Observation.cud');
    const token = await backend.token();
    expect((await told.ask('POST', 'Subscription', token, aSubscription({ endpoint: receiver.url }))).status).toBe(403);
    expect(
      (await told.ask('POST', 'Observation', token, { resourceType: 'Observation' })).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await told.ask('DELETE', 'Observation/1', token)).status).toBeGreaterThanOrEqual(400);
  });

  test('learns nothing of a patient who is not linked, whether there is such a one or not', async () => {
    const token = await (await told.backend()).token();
    told.ehr.put({
      resourceType: 'Patient',
      id: 'unlinked',
      active: true,
      identifier: [{ system: 'urn:example:mrn', value: 'U' }],
    });
    const answers = [];
    for (const patient of ['unlinked', 'not-there']) {
      const wanted = aSubscription({ endpoint: receiver.url, filters: [`patient=Patient/${patient}`] });
      const { status, body } = await told.ask('POST', 'Subscription', token, wanted);
      answers.push([status, issueOf(body)]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(403);
  });
});

describe('an endpoint', () => {
  test.each([
    'http://app.example.org/hook',
    'https://10.0.0.1/hook',
    'https://192.168.1.1:8443/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/hook',
    'https://[::ffff:10.0.0.1]/hook',
    'https://[fd00::1]/hook',
    'https://localhost/hook',
    'https://0x0a.1/hook',
    'https://167772161/hook',
    'https://user:secret@app.example.org/hook',
    'ftp://app.example.org/hook',
    'javascript:alert(1)',
  ])('at %s is refused', async (endpoint) => {
    const token = await (await told.backend()).token();
    const { status } = await told.ask('POST', 'Subscription', token, aSubscription({ endpoint }));
    expect(status).toBe(422);
  });

  test('that redirects is not followed', async () => {
    const inner = await startReceiver();
    const outer = await startReceiver(() => 302);
    const token = await (await told.backend()).token();
    const { id } = await told.subscribe(token, { endpoint: outer.url });
    const shown = await eventually(
      async () => (await told.admin('GET', `subscriptions/${id}`)).body,
      ({ because }) => because !== null,
    );
    expect(shown).toMatchObject({ state: 'requested', because: 'redirect' });
    expect(inner.all()).toEqual([]);
    await Promise.all([inner.stop(), outer.stop()]);
  });

  test.each([
    [{ header: ['Host: other.example.org'] }],
    [{ header: ['webhook-signature: v1,forged'] }],
    [{ header: ['X-A: 1\r\nX-B: 2'] }],
    [{ header: ['Content-Length: 0'] }],
    [{ channel: [extension('backport-heartbeat-period', { valueString: '1' })] }],
    [{ content: 'everything' }],
    [{ topic: 'no-such-topic' }],
    [{ filters: ['Observation?subject.name=Ada'] }],
    [{ filters: ['Patient?name=Ada'] }],
    [{ more: { end: '2020-01-01T00:00:00Z' } }],
    [{ more: { extension: [{ url: 'http://hl7.org/fhir/5.0/StructureDefinition/extension-Subscription.topic' }] } }],
  ])('cannot be asked for with %j', async (wanted) => {
    const token = await (await told.backend()).token();
    const { status } = await told.ask(
      'POST',
      'Subscription',
      token,
      aSubscription({ endpoint: receiver.url, ...wanted }),
    );
    expect(status).toBe(422);
  });
});

test('filters are bounded together', async () => {
  const token = await (await told.backend()).token();
  const filters = Array.from({ length: 4 }, () => `Observation?code=${'x'.repeat(1_500)}`);
  const asked = await told.ask('POST', 'Subscription', token, aSubscription({ endpoint: receiver.url, filters }));
  expect(asked.status).toBe(422);
});

test('headers are shown to whoever sent them just now, and do not go to another endpoint', async () => {
  const token = await (await told.backend()).token();
  const header = ['X-Key: of-the-first'];
  const { id } = await told.subscribe(token, { endpoint: receiver.url, header });
  await untilActive(token, id);
  const put = async (endpoint: string, more: object = {}) => {
    const { status, body } = await told.ask('PUT', `Subscription/${id}`, token, {
      ...aSubscription({ endpoint, ...more }),
      id,
    });
    return [status, (body['channel'] as Json)['header']];
  };
  expect(await put(receiver.url, { header })).toEqual([200, header]);
  expect(await put(receiver.url)).toEqual([200, undefined]);
  const other = await startReceiver();
  expect(await put(other.url)).toEqual([200, undefined]);
  await eventually(
    () => other.all(),
    (all) => all.length > 0,
  );
  expect(other.all().map(({ headers }) => headers['x-key'])).toEqual(other.all().map(() => undefined));
  await other.stop();
});

describe('a patch', () => {
  const patched = (id: string, token: string, ...operations: readonly object[]) =>
    told.ask('PATCH', `Subscription/${id}`, token, operations);
  const START = ['X-Key: of-the-app'];
  async function made() {
    const token = await (await told.backend()).token();
    const { id } = await told.subscribe(token, { endpoint: receiver.url, header: START });
    await untilActive(token, id);
    return { token, id };
  }

  test('changes a part, and the rest stays as it was', async () => {
    const { token, id } = await made();
    const before = (await told.ask('GET', `Subscription/${id}`, token)).body;
    const { status, body } = await patched(id, token, { op: 'add', path: '/reason', value: 'Another reason' });
    expect([status, body['reason'], body['channel']]).toEqual([200, 'Another reason', before['channel']]);
    await untilActive(token, id);
    const after = (await told.ask('GET', `Subscription/${id}`, token)).body;
    expect({ ...after, meta: null }).toEqual({ ...before, reason: 'Another reason', meta: null });
    const greeted = receiver.ofType('handshake').filter(({ headers }) => headers['x-key'] === 'of-the-app');
    expect(greeted.length).toBeGreaterThanOrEqual(2);
    expect((await patched(id, token, { op: 'replace', path: '/status', value: 'off' })).body['status']).toBe('off');
    expect((await patched(id, token, { op: 'replace', path: '/status', value: 'active' })).body['status']).toBe(
      'requested',
    );
  });

  test('sees neither headers nor secret, and can put new headers in their place', async () => {
    const { token, id } = await made();
    for (const from of ['/channel/header', '/channel/header/0', '/channel/extension/3/valueString'])
      expect((await patched(id, token, { op: 'copy', from, path: '/reason' })).status).toBe(422);
    expect((await patched(id, token, { op: 'test', path: '/channel/header', value: START })).status).toBe(422);
    const header = ['X-Key: another'];
    const { status, body } = await patched(id, token, { op: 'add', path: '/channel/header', value: header });
    expect([status, (body['channel'] as Json)['header']]).toEqual([200, header]);
  });

  test('changes neither what it is about, nor whose it is, nor where none may be', async () => {
    const { token, id } = await made();
    for (const [path, value] of [
      ['/id', 'sub-other'],
      ['/resourceType', 'Patient'],
      ['/criteria', 'http://example.org/another-topic'],
      ['/_criteria', { extension: [] }],
      ['/channel/type', 'websocket'],
      ['/channel/endpoint', 'http://169.254.169.254/latest'],
      ['/odd', 1],
    ] as const)
      expect([path, (await patched(id, token, { op: 'add', path, value })).status]).toEqual([
        path,
        path === '/_criteria' ? 200 : 422,
      ]);
    const wrong = await fetch(`${told.base}/fhir/Subscription/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
      body: '[]',
    });
    expect(wrong.status).toBe(415);
    const reader = await (await told.backend('system/Subscription.rs system/Observation.rs')).token();
    expect((await patched(id, reader, { op: 'add', path: '/reason', value: 'x' })).status).toBe(403);
  });

  test('and another change at the same time both hold', async () => {
    const { token, id } = await made();
    const [a, b] = await Promise.all([
      patched(id, token, { op: 'add', path: '/reason', value: 'Both' }),
      patched(id, token, { op: 'add', path: '/channel/payload', value: 'application/json' }),
    ]);
    expect([a.status, b.status]).toEqual([200, 200]);
    const { body } = await told.ask('GET', `Subscription/${id}`, token);
    expect([body['reason'], (body['channel'] as Json)['payload']]).toEqual(['Both', 'application/json']);
  });
});

describe('between the event and its notification', () => {
  /** A subscription whose endpoint refuses what it is told until it is let. */
  async function held(scope = EVERYTHING) {
    const user = aUser();
    const patient = await told.enrol(user);
    const backend = await told.backend(scope);
    const token = await backend.token();
    const made = await told.subscribe(token, { endpoint: receiver.url, content: 'full-resource' });
    await untilActive(token, made.id);
    let isOpen = false;
    receiver.answer(({ headers }) => (isOpen || !String(headers['webhook-id']).startsWith(`${made.id}.`) ? 200 : 503));
    await told.deliver(aClinicalReady({ userId: user }));
    await eventually(
      async () => (await told.admin('GET', `subscriptions/${made.id}`)).body,
      ({ failures }) => Number(failures) > 0,
    );
    return { ...made, user, patient, backend, token, open: () => void (isOpen = true) };
  }

  test('a link that was revoked leaves the number and nothing else', async () => {
    const { id, user, open } = await held();
    const count = Number((await told.admin('GET', `subscriptions/${id}`)).body['lastEvent']);
    expect(count).toBeGreaterThan(0);
    expect((await told.admin('DELETE', `links/${user}?reason=test&charted=keep`)).status).toBe(200);
    open();
    const events = await eventually(
      () => eventsOf(toldOf(id)),
      (found) => found.length >= count,
      30_000,
    );
    expect(events).toEqual(Array.from({ length: count }, (_, i) => ({ number: i + 1, focus: null })));
    expect(toldOf(id).flatMap(resourcesOf)).toEqual([]);
  });

  test('a client that was disabled is told nothing more, and the operator sees why', async () => {
    const { id, backend, open } = await held();
    await told.admin('POST', `clients/${backend.id}/disable`);
    open();
    expect(await untilState(id, 'off')).toMatchObject({ because: 'client-ended' });
    expect(toldOf(id)).toEqual([]);
  });

  test('a scope that was narrowed hides what it no longer reaches', async () => {
    const { id, backend, open } = await held();
    const scope = 'system/Subscription.cruds system/Observation.rs?category=http://example.org|nothing-has-it';
    expect((await told.admin('PUT', `clients/${backend.id}`, { scope })).status).toBe(200);
    open();
    const shown = await eventually(
      async () => (await told.admin('GET', `subscriptions/${id}`)).body,
      ({ state, waiting }) => state === 'off' || waiting === 0,
      30_000,
    );
    expect(['active', 'off']).toContain(shown['state']);
    expect(eventsOf(toldOf(id)).filter(({ focus }) => focus !== null)).toEqual([]);
    expect(toldOf(id).flatMap(resourcesOf)).toEqual([]);
  });

  test('an operator who ends it ends it at once', async () => {
    const { id, token, open } = await held();
    expect((await told.admin('POST', `subscriptions/${id}/end`)).body).toMatchObject({
      state: 'off',
      because: 'by-operator',
    });
    open();
    expect((await told.ask('GET', `Subscription/${id}`, token)).body['status']).toBe('off');
    expect(toldOf(id)).toEqual([]);
  });

  test('one that is off already stays as it is, and nothing is recorded of its end', async () => {
    const token = await (await told.backend()).token();
    const { id } = await told.subscribe(token, { endpoint: receiver.url });
    const off = { ...aSubscription({ endpoint: receiver.url }), id, status: 'off' };
    expect((await told.ask('PUT', `Subscription/${id}`, token, off)).status).toBe(200);
    const ended = await told.admin('POST', `subscriptions/${id}/end`);
    expect([ended.status, ended.body['state'], ended.body['because']]).toEqual([200, 'off', 'by-app']);
  });
});

describe('how many stand', () => {
  test('$status and the list go on behind every page, until all were told', async () => {
    const token = await (await told.backend()).token();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await told.subscribe(token, { endpoint: receiver.url })).id);
    const whole = (await told.ask('GET', 'Subscription/$status', token)).body;
    expect([whole['total'], (whole['entry'] as Json[]).length]).toEqual([3, 3]);
    for (const first of ['Subscription/$status?_count=2', 'Subscription?_count=2']) {
      const lengths: number[] = [];
      for (let path: string | undefined = first; path !== undefined;) {
        const { body } = await told.ask('GET', path, token);
        lengths.push((body['entry'] as Json[]).length);
        const links = body['link'] as { relation: string; url: string }[];
        path = links.find(({ relation }) => relation === 'next')?.url.split('/fhir/')[1];
        expect('total' in body).toBe(false);
      }
      expect(lengths).toEqual([2, 1]);
    }
  });
});
