import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import type { Response } from 'supertest';
import { aNotification, aStepsEvent } from '../../support/payloads/index.ts';
import {
  DATA_SECRET,
  NOTIFICATION_SECRET,
  OLD_DATA_SECRET,
  outcome,
  sendRaw,
  startHookGateway,
  type HookGateway,
} from './hook-gateway.ts';

const KEY = 'the-key-of-the-raw-body';
const PAIR = `Basic ${Buffer.from('source:password').toString('base64')}`;
const BODY = JSON.stringify(aStepsEvent());
const signatureOf = (body: string): string => createHmac('sha256', KEY).update(body).digest('hex');

let hooks: HookGateway;
beforeAll(
  async () =>
    void (hooks = await startHookGateway({
      CHARTGATE_WEBHOOK_BASIC: 'source:password',
      CHARTGATE_WEBHOOK_HMAC: 'raw-body',
      CHARTGATE_WEBHOOK_HMAC_HEADER: 'X-Hash',
      CHARTGATE_WEBHOOK_HMAC_KEY: KEY,
    })),
);
afterAll(() => hooks.stop());

const good = { Authorization: PAIR, 'X-Hash': signatureOf(BODY) };
const data = `/webhooks/${DATA_SECRET}/data`;

/** All that an answer tells, but for the id that differs in each. */
function told({ status, body, headers }: Response): unknown {
  const { request_id: requestId, ...rest } = body as Record<string, unknown>;
  return { status, rest, isItsId: requestId === headers['x-request-id'], type: headers['content-type'] };
}
const REFUSED = {
  status: 401,
  rest: {
    type: 'urn:chartgate:fault:webhook.unauthenticated',
    title: 'Authentication is required. Send valid credentials.',
    status: 401,
    code: 'webhook.unauthenticated',
  },
  isItsId: true,
  type: 'application/problem+json; charset=utf-8',
};

const { Authorization: _pair, ...unpaired } = good;
const { 'X-Hash': _hash, ...unsigned } = good;

describe('who is not the source is answered the same, whatever is wrong', () => {
  test.each<[string, string, string, Record<string, string>]>([
    ['another secret', `/webhooks/${'x'.repeat(38)}/data`, BODY, good],
    ['the secret in other case', `/webhooks/${DATA_SECRET.toUpperCase()}/data`, BODY, good],
    ['the secret cut short', `/webhooks/${DATA_SECRET.slice(0, -1)}/data`, BODY, good],
    ['the secret with more behind it', `/webhooks/${DATA_SECRET}x/data`, BODY, good],
    ['both live secrets at once', `/webhooks/${DATA_SECRET},${OLD_DATA_SECRET}/data`, BODY, good],
    ["the notification webhook's secret", `/webhooks/${NOTIFICATION_SECRET}/data`, BODY, good],
    ["the data webhook's secret at the notification webhook", `/webhooks/${DATA_SECRET}/notifications`, BODY, good],
    ['a secret that needs decoding', `/webhooks/%00${DATA_SECRET}/data`, BODY, good],
    ['no user', data, BODY, unpaired],
    [
      'another password',
      data,
      BODY,
      { ...good, Authorization: `Basic ${Buffer.from('source:no').toString('base64')}` },
    ],
    ['another scheme', data, BODY, { ...good, Authorization: 'Bearer x' }],
    ['no signature', data, BODY, unsigned],
    ['the signature of another body', data, BODY, { ...good, 'X-Hash': signatureOf('{}') }],
    ['a body other than the signed', data, `${BODY} `, good],
    ['a signature cut short', data, BODY, { ...good, 'X-Hash': signatureOf(BODY).slice(0, 60) }],
    ['an empty body', data, '', good],
    ['a body that is not JSON', data, 'no', good],
    ['all wrong at once', `/webhooks/x/data`, 'no', {}],
  ])('%s', async (_why, path, body, headers) => {
    expect(told(await hooks.post(path, body, headers))).toEqual(REFUSED);
  });

  test('the signature given twice', async () => {
    const heard = await sendRaw(
      hooks.port,
      `POST ${data} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${PAIR}\r\nX-Hash: ${good['X-Hash']}\r\n` +
        `X-Hash: ${good['X-Hash']}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    expect(heard.split('\r\n')[0]).toBe('HTTP/1.1 401 Unauthorized');
  });
});

test('nothing of what was refused is stored', async () => {
  expect(await hooks.ledger()).toMatchObject({ acknowledged: 0, addsUp: true });
});

test('an unauthentic sender is refused before its body has come', async () => {
  const heard = await sendRaw(
    hooks.port,
    `POST /webhooks/${'x'.repeat(38)}/data HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 500000\r\n\r\n{`,
  );
  expect(heard.split('\r\n')[0]).toBe('HTTP/1.1 401 Unauthorized');
});

test('all three proofs together are taken, and are kept with the delivery', async () => {
  const answer = await hooks.post(data, BODY, good);
  expect(answer.status).toBe(202);
  const { sender, state } = await hooks.settled((answer.body as { id: string }).id);
  expect([sender, state]).toEqual(['secret-path+basic+hmac-raw-body', 'parked']);
});

test('a notification is proven by its secret, the shared credential and its signature', async () => {
  const path = `/webhooks/${NOTIFICATION_SECRET}/notifications`;
  const body = JSON.stringify(aNotification());
  expect(told(await hooks.post(path, body))).toEqual(REFUSED);
  expect(told(await hooks.post(path, body, { Authorization: PAIR }))).toEqual(REFUSED);
  const answer = await hooks.post(path, body, { Authorization: PAIR, 'X-Hash': signatureOf(body) });
  expect(outcome(await hooks.settled((answer.body as { id: string }).id))).toEqual(['delivered', 'notification']);
});

test.each(['get', 'post'] as const)('the admin API takes no credential of a webhook (%s)', async (method) => {
  const path = method === 'get' ? '/admin/api/deliveries' : '/admin/api/replay?state=parked';
  const response = await fetch(`http://127.0.0.1:${hooks.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${DATA_SECRET}` },
  });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, 'admin.unauthenticated']);
});
