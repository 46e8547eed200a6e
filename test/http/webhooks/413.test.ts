import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { envelopeOf } from '../../support/payloads/index.ts';
import {
  DATA_SECRET,
  NOTIFICATION_SECRET,
  outcome,
  sendRaw,
  startHookGateway,
  type HookGateway,
} from './hook-gateway.ts';

const LIMIT = 1024 * 1024;
let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway()));
afterAll(() => hooks.stop());

/** A sound payload of exactly so many bytes. */
function payloadOfBytes(bytes: number, structure = 'activity_summary'): string {
  const around = JSON.stringify({ ...envelopeOf(structure, 1, {}), filler: '' });
  return around.replace('"filler":""', `"filler":"${'x'.repeat(bytes - around.length)}"`);
}

const head = (more: string, hook = `${DATA_SECRET}/data`): string =>
  `POST /webhooks/${hook} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const statusOf = (heard: string): string => heard.split('\r\n')[0] ?? '';
const problemOf = (heard: string): unknown =>
  (JSON.parse(/\{.*\}/s.exec(heard)?.[0] ?? '{}') as { code?: unknown }).code;

test('a body of exactly the limit is taken whole', async () => {
  const { state, bodyBytes } = await hooks.deliver(payloadOfBytes(LIMIT));
  expect([state, bodyBytes]).toEqual(['parked', LIMIT]);
});

test.each([
  ['one byte above the limit', LIMIT + 1],
  ['6 MB', 6 * LIMIT],
])('%s is refused', async (_what, bytes) => {
  const heard = await sendRaw(hooks.port, head(`Content-Length: ${bytes}`), 'x'.repeat(1000));
  expect([statusOf(heard), problemOf(heard)]).toEqual(['HTTP/1.1 413 Payload Too Large', 'http.too-large']);
});

test('a whole body of 6 MB gets its answer, not a broken connection', async () => {
  const answer = await hooks.postData(payloadOfBytes(6 * LIMIT));
  expect([answer.status, (answer.body as { code: string }).code]).toEqual([413, 'http.too-large']);
});

test('a chunked body up to the limit is taken', async () => {
  const body = payloadOfBytes(300_000, 'chunked_summary');
  const heard = await sendRaw(
    hooks.port,
    head('Transfer-Encoding: chunked'),
    chunk(body.slice(0, 100_000)),
    chunk(body.slice(100_000)),
    '0\r\n\r\n',
  );
  expect(statusOf(heard)).toBe('HTTP/1.1 202 Accepted');
  const [, id = ''] = /"id":"(dlv_\w+)"/.exec(heard) ?? [];
  expect(outcome(await hooks.settled(id))).toEqual(['parked', 'unmapped']);
});

test.each([
  ['data', `${DATA_SECRET}/data`],
  ['notifications', `${NOTIFICATION_SECRET}/notifications`],
])('a chunked body that grows above the limit is refused before its end: %s', async (_name, hook) => {
  const heard = await sendRaw(
    hooks.port,
    head('Transfer-Encoding: chunked', hook),
    ...Array.from({ length: 17 }, () => chunk('x'.repeat(65_536))),
  );
  expect([statusOf(heard), problemOf(heard)]).toEqual(['HTTP/1.1 413 Payload Too Large', 'http.too-large']);
});

test('a length and chunks at once are refused', async () => {
  const heard = await sendRaw(hooks.port, head('Content-Length: 5\r\nTransfer-Encoding: chunked'), '0\r\n\r\n');
  expect(statusOf(heard)).toBe('HTTP/1.1 400 Bad Request');
});

test('nothing of what was too large is stored', async () => {
  const { acknowledged, addsUp } = await hooks.ledger();
  expect([acknowledged, addsUp]).toEqual([2, true]);
});
