import { expect, jest, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { runCommand } from '../../support/run-command.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';
import { startHookGateway } from './hook-gateway.ts';

jest.setTimeout(60_000);

const SAID = 'said-by-a-stranger';

test('each refusal is counted by its reason, and nothing that the sender said is kept', async () => {
  const hooks = await startHookGateway({
    CHARTGATE_WEBHOOK_HMAC: 'raw-body',
    CHARTGATE_WEBHOOK_HMAC_HEADER: 'x-signature',
    CHARTGATE_WEBHOOK_HMAC_KEY: 'k'.repeat(32),
  });
  stopAfterTest(() => hooks.stop());
  for (let i = 0; i < 3; i += 1)
    expect((await hooks.post(`/webhooks/${SAID}/data`, `{"${SAID}":1}`, { 'user-agent': SAID })).status).toBe(401);
  expect((await hooks.postData({ [SAID]: 1 }, { 'x-signature': SAID })).status).toBe(401);
  expect((await hooks.postData('x'.repeat(1_100_000))).status).toBe(413);

  const found = await eventually(
    async () => (await hooks.admin('get', 'webhooks/refused?span=hour')).body as { total: number; refused: Refused[] },
    ({ total }) => total > 0,
  );
  expect(found.refused.filter(({ total }) => total > 0).map(({ reason, total }) => [reason, total])).toEqual([
    ['secret', 3],
    ['signature', 1],
    ['too-large', 1],
  ]);
  expect(hooks.atRest()).not.toContain(SAID);

  const env = { CHARTGATE_ADMIN_TOKEN: hooks.authorization.slice('Bearer '.length) };
  const run = (...args: string[]) => runCommand([...args, '--url', `http://127.0.0.1:${hooks.port}`], { env });
  const told = await run('webhooks', 'refused');
  expect([told.code, told.err]).toEqual([0, '']);
  expect(told.out).toMatch(/^5 refused since \S+\nwrong secret in the address +3 {2}\| +█ *\|\n/);
  expect(await run('webhooks', 'refused', '--span', 'year')).toMatchObject({
    code: 1,
    err: expect.stringContaining('one of hour, day, month'),
  });
  expect((await run('webhooks', 'lost')).code).toBe(2);
});

interface Refused {
  readonly reason: string;
  readonly total: number;
}
