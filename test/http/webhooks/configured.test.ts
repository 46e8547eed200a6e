import { expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { CLIENT, USER, aClinicalReady, aNotification, aStepsEvent } from '../../support/payloads/index.ts';
import { DATA_SECRET, outcome, startHookGateway, type HookGateway } from './hook-gateway.ts';

const KEY = 'dGhlLWtleS1vZi10aGUtc2lnbmF0dXJl';
const BODY = JSON.stringify(aStepsEvent());
const SIGNATURES: Readonly<Record<string, Record<string, string>>> = {
  fields: {
    'X-Hash': createHmac('sha256', KEY).update(`${CLIENT}${USER}2026-11-14T10:00:00+01:00`).digest('hex'),
  },
  'raw-body': { 'X-Hash': createHmac('sha256', KEY).update(BODY).digest('base64') },
  'standard-webhooks': {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1763114400',
    'webhook-signature': `v1,${createHmac('sha256', Buffer.from(KEY, 'base64')).update(`msg_1.1763114400.${BODY}`).digest('base64')}`,
  },
};

async function withGateway(
  settings: Record<string, string>,
  work: (hooks: HookGateway) => Promise<void>,
): Promise<void> {
  const hooks = await startHookGateway(settings);
  try {
    await work(hooks);
  } finally {
    await hooks.stop();
  }
}
const signed = (scheme: string): Record<string, string> => ({
  CHARTGATE_WEBHOOK_HMAC: scheme,
  CHARTGATE_WEBHOOK_HMAC_HEADER: 'X-Hash',
  CHARTGATE_WEBHOOK_HMAC_KEY: KEY,
});

test.each(Object.keys(SIGNATURES))('where %s is configured its signature is demanded', async (scheme) => {
  await withGateway(signed(scheme), async (hooks) => {
    const answers = await Promise.all(
      [undefined, ...Object.keys(SIGNATURES)].map(async (one) => [
        one,
        (await hooks.postData(BODY, one === undefined ? {} : SIGNATURES[one])).status,
      ]),
    );
    expect(answers).toEqual([undefined, ...Object.keys(SIGNATURES)].map((one) => [one, one === scheme ? 202 : 401]));
  });
});

test('learning tells which scheme fits and enforces none, and the secret path still counts', async () => {
  await withGateway({ ...signed('fields'), CHARTGATE_WEBHOOK_LEARN: 'on' }, async (hooks) => {
    for (const headers of [...Object.values(SIGNATURES), {}])
      expect((await hooks.postData(BODY, headers)).status).toBe(202);
    const learned = hooks.log.lines.filter(({ event }) => event === 'webhook.learned').map(({ setting }) => setting);
    expect(learned).toEqual(['fields', 'raw-body', 'standard-webhooks', 'none']);
    expect((await hooks.post(`/webhooks/${'x'.repeat(38)}/data`, BODY, SIGNATURES['fields'])).status).toBe(401);
  });
});

test('a webhook without an authenticator takes nothing', async () => {
  await withGateway({ CHARTGATE_NOTIFICATION_SECRET: '' }, async (hooks) => {
    const answer = await hooks.post(`/webhooks/${DATA_SECRET}/notifications`, JSON.stringify(aNotification()));
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([503, 'webhook.not-configured']);
  });
});

test('the name of a client certificate counts only from the configured proxy', async () => {
  const settings = (proxy: string) => ({
    CHARTGATE_TRUST_PROXY: proxy,
    CHARTGATE_WEBHOOK_MTLS_HEADER: 'X-Client-Cert',
    CHARTGATE_WEBHOOK_MTLS_NAME: 'CN=source',
  });
  const named = { 'X-Client-Cert': 'CN=source' };
  await withGateway(settings('127.0.0.0/8'), async (hooks) => {
    expect([(await hooks.postData(BODY)).status, (await hooks.postData(BODY, named)).status]).toEqual([401, 202]);
  });
  await withGateway(settings('10.0.0.1'), async (hooks) => {
    expect((await hooks.postData(BODY, { ...named, 'X-Forwarded-For': '10.0.0.1' })).status).toBe(401);
  });
});

test('a document is the day of a user where so configured', async () => {
  await withGateway({ CHARTGATE_DOCUMENT_KEY: 'user-day' }, async (hooks) => {
    const first = await hooks.deliver(aClinicalReady({ bundleId: 'a' }));
    const second = await hooks.deliver(aClinicalReady({ bundleId: 'b', documentVersion: 2 }));
    const otherDay = await hooks.deliver(aClinicalReady({ bundleId: 'c', day: '2026-11-13' }));
    expect([outcome(await hooks.read(first.id)), outcome(second), outcome(otherDay)]).toEqual([
      ['superseded', 'newer-version'],
      ['parked', 'unlinked'],
      ['parked', 'unlinked'],
    ]);
  });
});
