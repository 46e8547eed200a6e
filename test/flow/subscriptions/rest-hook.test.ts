import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import {
  eventsOf,
  isSignedBy,
  resourcesOf,
  startReceiver,
  statusParam,
  type Receiver,
} from '../../support/subscriptions/start-receiver.ts';
import { startTold, type Told } from '../../support/subscriptions/start-told.ts';

jest.setTimeout(120_000);

describe.each(PLACES)('notifications by rest-hook on %s', (_engine, makePlace) => {
  let told: Told;
  let receiver: Receiver;
  beforeEach(async () => {
    told = await startTold(makePlace);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await told.stop();
    await receiver.stop();
  });
  const untilActive = (token: string, id: string) =>
    eventually(
      () => told.stateOf(token, id),
      (state) => state === 'active',
    );

  test('an app is greeted, told of what was written under numbers without holes, and can verify who told it', async () => {
    const patient = await told.enrol('ada');
    const token = await (await told.backend()).token();
    const { id, secret, body } = await told.subscribe(token, {
      endpoint: receiver.url,
      content: 'full-resource',
      header: ['Authorization: Bearer of-the-app'],
    });
    expect(body).toMatchObject({ status: 'requested', channel: { header: ['Authorization: Bearer of-the-app'] } });
    await untilActive(token, id);
    const [greeting] = receiver.ofType('handshake');
    expect(greeting?.headers['authorization']).toBe('Bearer of-the-app');
    expect(greeting?.headers['content-type']).toBe('application/fhir+json');
    await told.deliver(aClinicalReady({ userId: 'ada' }));
    const written = told.chart(patient).filter(({ resourceType }) => resourceType === 'Observation');
    expect(written.length).toBeGreaterThan(0);
    const events = await eventually(
      () => eventsOf(receiver.ofType('event-notification')),
      (found) => found.length >= written.length,
    );
    expect(events.map(({ number }) => number)).toEqual(written.map((_, i) => i + 1));
    expect(events.map(({ focus }) => focus).sort()).toEqual(
      written.map((one) => `${told.base}/fhir/Observation/${String(one['id'])}`).sort(),
    );
    const all = receiver.ofType('event-notification');
    for (const one of all) {
      expect(isSignedBy(secret, one)).toBe(true);
      expect(one.bundle).toMatchObject({ resourceType: 'Bundle', type: 'history' });
      expect(statusParam(one, 'status')).toBe('active');
      for (const entry of resourcesOf(one))
        expect(entry).toMatchObject({ resource: { resourceType: 'Observation' }, request: { method: 'POST' } });
    }
    const status = await told.ask('GET', `Subscription/${id}/$status`, token);
    expect(status.body).toMatchObject({ type: 'searchset', total: 1 });
    const again = await told.ask('GET', `Subscription/${id}/$events?eventsSinceNumber=2&eventsUntilNumber=3`, token);
    const read = eventsOf([{ path: '', headers: {}, body: '', bundle: again.body }]);
    expect(read.map(({ number }) => number)).toEqual([2, 3].slice(0, Math.max(0, written.length - 1)));
  });
});
