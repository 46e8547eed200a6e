import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually.ts';
import { DATA_SECRET, startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

let hooks: HookGateway;
const held: Socket[] = [];
beforeAll(async () => {
  hooks = await startHookGateway({ CHARTGATE_BODY_LIMIT_MB: '25', CHARTGATE_MEMORY_MB: '768' });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await hooks.stop();
});

/** Announces a body of 25 MB to the webhook, and sends none of it. */
function announce(): void {
  const socket = connect(hooks.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = `POST /webhooks/${DATA_SECRET}/data HTTP/1.1\r\nHost: x`;
  socket.write(`${head}\r\nContent-Length: ${25 * 1024 * 1024}\r\n\r\n{`);
  held.push(socket);
}

test('a file of links shares the memory with everybody: it waits for room, and is then refused', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `user-${n},MRN-${n}`);
  const file = ['user_id,mrn', ...rows].join('\n');
  const send = () =>
    hooks.post('/admin/api/links/import?dry_run=true', file, {
      'Content-Type': 'text/csv',
      Authorization: hooks.authorization,
    });
  for (let i = 0; i < 2; i += 1) announce();
  const refused = await eventually(send, ({ status }) => status === 503);
  expect([refused.headers['retry-after'], (refused.body as { code: string }).code]).toEqual(['120', 'admin.no-room']);
  for (const socket of held.splice(0)) socket.destroy();
  const taken = await eventually(send, ({ status }) => status === 200);
  expect((taken.body as { confirmed: number }).confirmed).toBe(20_000);
}, 60_000);
