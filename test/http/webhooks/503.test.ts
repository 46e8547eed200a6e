import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { DATA_SECRET, startHookGateway, type HookGateway } from './hook-gateway.ts';
import { eventually } from '../../support/eventually.ts';

let hooks: HookGateway;
const held: Socket[] = [];

beforeAll(async () => {
  hooks = await startHookGateway({ CHARTGATE_BODY_LIMIT_MB: '25', CHARTGATE_MEMORY_MB: '768' });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await hooks.stop();
});

/** Announces a body of 25 MB and sends none of it. */
function announce(): Socket {
  const socket = connect(hooks.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /webhooks/${DATA_SECRET}/data HTTP/1.1\r\nHost: x\r\nContent-Length: ${25 * 1024 * 1024}\r\n\r\n{`,
  );
  held.push(socket);
  return socket;
}

test('a body for which there is no room waits for it, then is refused with a time to come again; and there is room once others are gone', async () => {
  for (let i = 0; i < 5; i += 1) announce();
  const post = () => hooks.post(`/webhooks/${DATA_SECRET}/data`, 'x'.repeat(4 * 1024 * 1024));
  const from = performance.now();
  const refused = await eventually(post, ({ status }) => status === 503);
  expect([refused.status, refused.headers['retry-after'], (refused.body as { code: string }).code]).toEqual([
    503,
    '120',
    'webhook.no-room',
  ]);
  expect(performance.now() - from).toBeGreaterThanOrEqual(5_000);
  const waiting = post();
  for (const socket of held.splice(0)) socket.destroy();
  expect((await waiting).status).toBe(202);
  expect((await eventually(post, ({ status }) => status === 202)).status).toBe(202);
});
