import { afterEach, expect, jest, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { freePort } from '../../clients/whole.ts';
import { eventually } from '../../support/eventually.ts';
import { placeUrl } from '../../support/export/start-exporting.ts';
import { PLACES, type Place } from '../../support/new-store.ts';
import { aClinicalReady, CLIENT, type Json } from '../../support/payloads/index.ts';
import { portOf, runProcess, serveSettings, type Running } from '../../support/run-process.ts';
import { makeBackend } from '../../support/subscriptions/make-backend.ts';
import { eventsOf, startReceiver, typeOf, type Receiver } from '../../support/subscriptions/start-receiver.ts';
import { aSubscription, EVERYTHING } from '../../support/subscriptions/start-told.ts';
import { aPatient } from '../delivery/rig.ts';

jest.setTimeout(240_000);

const open: { ehr?: DemoEhr; receiver?: Receiver; gateway?: Running; place?: Place } = {};
afterEach(async () => {
  open.gateway?.signal('SIGKILL');
  await open.gateway?.ended;
  await open.receiver?.stop();
  await open.ehr?.stop();
  await open.place?.remove();
});

/** What a process had begun to send is sent by another when its lease of a minute has run out. */
const PATIENCE_MS = 100_000;

test.each(PLACES)(
  'killed between the commit and the notification on %s: no event is lost, and no hole left',
  async (_engine, makePlace) => {
    const place = (open.place = await makePlace());
    const ehr = (open.ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock }));
    ehr.put(aPatient('ada', 'M1'));
    const receiver = (open.receiver = await startReceiver());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env: Record<string, string> = {
      ...serveSettings(placeUrl(place)),
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: url,
      CHARTGATE_EHR_URL: ehr.url,
      CHARTGATE_CLIENT_UUID: CLIENT,
      CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: '127.0.0.1',
    };
    const start = async (): Promise<void> => {
      open.gateway = runProcess(['serve'], env);
      await portOf(open.gateway);
    };
    const admin = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}/admin/api/${path}`, {
        method,
        headers: { authorization: `Bearer ${env['CHARTGATE_ADMIN_TOKEN'] ?? ''}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    await start();
    await admin('PUT', 'links/ada', { mrn: 'M1' });
    const token = await (await makeBackend(url, admin, EVERYTHING)).token();
    const made = await fetch(`${url}/fhir/Subscription`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
      body: JSON.stringify(aSubscription({ endpoint: receiver.url })),
    });
    const { id } = (await made.json()) as { id: string };
    await eventually(
      async () => (await admin('GET', `subscriptions/${id}`)).body,
      ({ state }) => state === 'active',
    );

    let day = 1;
    const deliver = async (): Promise<void> => {
      const payload = aClinicalReady({
        userId: 'ada',
        day: `2026-10-${String((day += 1)).padStart(2, '0')}`,
        bundleId: `bundle-${day}`,
      });
      const answer = await fetch(`${url}/webhooks/${env['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      });
      const sent = (await answer.json()) as { id: string };
      await eventually(
        async () => (await admin('GET', `deliveries/${sent.id}`)).body,
        ({ state }) => state === 'delivered',
      );
    };
    // Right after the commit; perhaps between numbering and sending; while the endpoint refuses what it is sent.
    for (const killAfterMs of [0, 60, 400]) {
      receiver.answer((received) => (typeOf(received) === 'event-notification' ? 503 : 200));
      await deliver();
      await deliver();
      await pause(killAfterMs);
      open.gateway?.signal('SIGKILL');
      await open.gateway?.ended;
      receiver.answer(() => 200);
      await start();
    }
    const written = new Set(
      ehr.log.writes().flatMap(({ type, id: at }) => (type === 'Observation' ? [`${url}/fhir/Observation/${at}`] : [])),
    );
    const events = await eventually(
      () => new Map(eventsOf(receiver.ofType('event-notification')).map(({ number, focus }) => [number, focus])),
      (found) => found.size >= written.size,
      PATIENCE_MS,
    );
    expect([...events.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: written.size }, (_, i) => i + 1));
    expect(new Set(events.values())).toEqual(written);
  },
);
