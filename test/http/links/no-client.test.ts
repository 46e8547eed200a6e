import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway({ CHARTGATE_CLIENT_UUID: '' })));
afterAll(() => hooks.stop());

const ask = async (method: string, path: string, body?: string) => {
  const answer = await fetch(`http://127.0.0.1:${hooks.port}/admin/api/links${path}`, {
    method,
    headers: { authorization: 'Bearer admin-token-0123456789abcdef0123456789' },
    ...(body === undefined ? {} : { body }),
  });
  return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
};

test.each([
  ['GET', '/u', undefined],
  ['GET', '?user_id=u', undefined],
  ['DELETE', '/u', undefined],
  ['PUT', '/u', '{"mrn":"1"}'],
])('%s %s without a client is refused', async (method, path, body) => {
  expect(await ask(method, path, body)).toMatchObject([400, { code: 'link.client', at: 'client_uuid' }]);
});

test('with a client it is taken', async () => {
  expect(await ask('PUT', '/u', '{"mrn":"1","client_uuid":"c"}')).toMatchObject([200, { change: 'confirmed' }]);
  expect(await ask('GET', '?user_id=u&client_uuid=c')).toMatchObject([200, { links: [{ userId: 'u' }] }]);
});
