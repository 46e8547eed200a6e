import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hmacMatches } from '../../../src/ingest/hmac-authenticators.ts';
import { secret } from '../../../src/kernel/index.ts';
import { RETRY_WAITS_MS, startService } from '../../index.ts';
import { testClock } from '../../../test/support/clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { stopAfterTest } from '../../../test/support/stop-after-test.ts';
import { freshService, listenForHooks, raw } from './support.ts';

const { ask, activate, client, grant, service, signed } = freshService({ retryWaitsMs: [5, 10, 15] });
const put = (n: number, hook: 'data' | 'notification' = 'data'): void =>
  service().sender.put({ client: 'client-1', hook, body: JSON.stringify({ n }) });
const deliveries = async () => (await ask('GET', '/_control/deliveries')).body;
const toHooks = (url: string): void =>
  void service().putClient({ ...client(), dataWebhook: url, notificationWebhook: url });
const settled = () => service().sender.below(1);

describe('6 acknowledgement', () => {
  test.each([200, 201, 202])('%i acknowledges, and nothing is sent again', async (status) => {
    const hooks = await listenForHooks(status);
    toHooks(hooks.url);
    put(1);
    await settled();
    expect(service().sender.counts('client-1', 'data')).toEqual({ acknowledged: 1, retried: 0, givenUp: 0 });
    expect(hooks.got).toEqual([{ n: 1 }]);
  });

  test.each([203, 204, 301, 400, 401, 404, 409, 429, 500, 503, 0])(
    'after %i it is tried again, with the same content and the same id',
    async (status) => {
      const hooks = await listenForHooks(202, [status]);
      toHooks(hooks.url);
      put(1);
      await settled();
      expect(service().sender.counts('client-1', 'data')).toEqual({ acknowledged: 1, retried: 1, givenUp: 0 });
      expect(hooks.bodies).toEqual([hooks.bodies[0], hooks.bodies[0]]);
      expect(hooks.heads[1]?.['webhook-id']).toBe(hooks.heads[0]?.['webhook-id']);
    },
  );

  test('the waits grow, and after the last try it is given up and said so; support can have it sent again', async () => {
    expect(RETRY_WAITS_MS.every((wait, i) => i === 0 || wait > (RETRY_WAITS_MS[i - 1] ?? 0))).toBe(true);
    const hooks = await listenForHooks(202, [500, 500, 500, 500]);
    toHooks(hooks.url);
    put(1);
    await settled();
    expect(await deliveries()).toEqual({
      waiting: 0,
      clients: {
        'client-1': {
          data: { acknowledged: 0, retried: 3, givenUp: 1 },
          notification: { acknowledged: 0, retried: 0, givenUp: 0 },
        },
      },
      givenUp: [
        { id: expect.any(String), client: 'client-1', hook: 'data', tries: 4, answered: 500, at: expect.any(String) },
      ],
    });
    expect((await ask('POST', '/_control/deliveries/again')).body).toEqual({ again: 1 });
    await settled();
    expect(service().sender.counts('client-1', 'data').acknowledged).toBe(1);
  });

  test('without an address nothing is queued', () => {
    put(1);
    expect(service().sender.waiting()).toBe(0);
  });
});

describe('6 signature', () => {
  test.each(['data', 'notification'] as const)('a %s delivery is signed, as the gateway checks it', async (hook) => {
    const hooks = await listenForHooks();
    toHooks(hooks.url);
    put(1, hook);
    await settled();
    const [head, body] = [{ headers: hooks.heads[0] ?? {} }, Buffer.from(hooks.bodies[0] ?? '')];
    const check = (key: string, of: Buffer) =>
      hmacMatches(
        'standard-webhooks',
        'webhook-signature',
        [secret(key)],
        head as Parameters<typeof hmacMatches>[3],
        of,
      );
    expect(check(client().signingKey, body)).toBe(true);
    expect(check(client().signingKey, Buffer.from('{"n":2}'))).toBe(false);
    expect(check(`whsec_${Buffer.alloc(32).toString('base64')}`, body)).toBe(false);
  });

  test('the portal shows the key', async () => {
    expect((await ask('GET', '/portal', { headers: signed('secretKey') })).text).toContain(client().signingKey);
  });
});

describe('6 order and number', () => {
  test('the order is not that in which things happened, and everything arrives once', async () => {
    const hooks = await listenForHooks();
    toHooks(hooks.url);
    for (let n = 0; n < 100; n += 1) put(n);
    await settled();
    const order = hooks.got.map(({ n }) => n as number);
    expect(order).not.toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(hooks.concurrencyMax()).toBeLessThanOrEqual(8);
  });
});

describe('6 what waits survives a restart', () => {
  test('and is sent then, under its id', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chartgate-sender-'));
    stopAfterTest(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'service.ndjson');
    const start = async () => {
      const service = await startService({
        host: '127.0.0.1',
        port: 0,
        clock: testClock(),
        file,
        retryWaitsMs: [60_000],
      });
      stopAfterTest(() => service.stop());
      return service;
    };
    const refusing = await listenForHooks(500);
    const first = await start();
    first.putClient({ uuid: 'client-1', dataWebhook: refusing.url });
    first.sender.put({ client: 'client-1', hook: 'data', body: '{"n":1}' });
    await eventually(
      () => first.sender.counts('client-1', 'data').retried,
      (n) => n === 1,
    );
    const hooks = await listenForHooks();
    first.putClient({ uuid: 'client-1', dataWebhook: hooks.url });
    first.sender.put({ client: 'client-1', hook: 'data', body: '{"n":2}' });
    await first.stop();
    await refusing.close();
    const second = await start();
    await second.sender.below(2);
    // The other one still has its wait before it.
    expect([hooks.got.length, second.sender.waiting()]).toEqual([1, 1]);
    expect((await raw(second.url, 'GET', '/_control/deliveries')).body['waiting']).toBe(1);
  });
});

describe('6 Notification Webhook', () => {
  test('notifications are retried like everything else', async () => {
    const hooks = await listenForHooks(202, [503, 0]);
    activate('notification_webhook');
    toHooks(hooks.url);
    await grant();
    await settled();
    expect(new Set(hooks.got.map(({ action }) => action))).toEqual(new Set(['user_created', 'user_connected']));
    expect(hooks.got.length).toBe(4);
  });
});

test('6 a payload of one’s own is sent as any other', async () => {
  const hooks = await listenForHooks();
  expect((await ask('POST', '/_control/clients/client-1/send', { body: '{"a":1}' })).status).toBe(409);
  expect((await ask('POST', '/_control/clients/nobody/send', { body: '{"a":1}' })).status).toBe(404);
  toHooks(hooks.url);
  expect((await ask('POST', '/_control/clients/client-1/send', { body: '{"a":1}' })).status).toBe(202);
  await settled();
  expect([hooks.got, hooks.heads[0]?.['webhook-signature']]).toEqual([[{ a: 1 }], expect.stringMatching(/^v1,/)]);
});
