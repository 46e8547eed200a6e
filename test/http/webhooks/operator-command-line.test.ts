import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aStepsEvent } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type HookGateway } from './hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
beforeAll(async () => {
  hooks = await startHookGateway();
});
afterAll(() => hooks.stop());

const run = (...args: string[]) =>
  runCommand(args, { env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` } });

test('the ledger is counted, in words and as JSON', async () => {
  await hooks.read((await hooks.deliver(aStepsEvent({ userId: 'waits' }))).id);
  const told = await run('ledger');
  expect([told.code, told.out]).toEqual([
    0,
    expect.stringMatching(/^1 acknowledged\n[^]*parked +1\n[^]*It adds up\.\n$/),
  ]);
  expect(JSON.parse((await run('ledger', '--json')).out)).toMatchObject({ acknowledged: 1, addsUp: true });
});

test('one delivery, or all of a state, are looked at again', async () => {
  const { id } = await hooks.deliver(aStepsEvent({ userId: 'again' }));
  await hooks.read(id);
  expect(await run('replay', id)).toMatchObject({ code: 0, out: `${id} is looked at again\n` });
  await hooks.read(id);
  expect(await run('replay', '--state', 'parked', '--reason', 'unlinked')).toMatchObject({
    code: 0,
    out: '2 are looked at again\n',
  });
  expect(JSON.parse((await run('replay', '--state', 'quarantined', '--json')).out)).toEqual({ count: 0 });
  expect(await run('replay', 'dlv_none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('delivery.not-found'),
  });
  expect(await run('replay', id, '--conflict', 'overwrite')).toMatchObject({
    code: 1,
    err: expect.stringContaining('delivery.state'),
  });
  expect(await run('replay', '--state', 'parked', '--approve')).toMatchObject({
    code: 0,
    out: '0 are looked at again\n',
  });
  expect(await run('replay', '--state', 'lost')).toMatchObject({ code: 1, err: expect.stringContaining('state') });
});

test.each([
  [['replay']],
  [['replay', 'a', 'b']],
  [['replay', 'a', '--state', 'parked']],
  [['replay', 'a', '--approve']],
  [['replay', '--state', 'quarantined', '--approve']],
  [['replay', '--state', 'parked', '--conflict', 'overwrite']],
  [['ledger', 'x']],
])('%j is told what is wrong with it', async (args) => {
  expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining('Try "chartgate ') });
});
