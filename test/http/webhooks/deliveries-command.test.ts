import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aClinicalReady, aStepsEvent, OTHER_CLIENT, USER } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type Delivery, type HookGateway } from './hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
const steps = aStepsEvent();
let hooks: HookGateway;
let parked: Delivery;
let foreign: Delivery;
beforeAll(async () => {
  hooks = await startHookGateway();
  parked = await hooks.deliver(steps);
  foreign = await hooks.deliver(aClinicalReady({ clientUuid: OTHER_CLIENT }));
});
afterAll(() => hooks.stop());

const run = (...args: readonly string[]) =>
  runCommand(['deliveries', ...args], {
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` },
  });

test('list shows a line each, how many there are, and how to go on', async () => {
  const { code, out } = await run('list', '--total', '--limit', '1');
  const [row, count, more] = out.split('\n');
  expect([code, count]).toEqual([0, '2 in all']);
  expect(row).toContain(`${foreign.id}  quarantined (foreign-client)`);
  const [, cursor = ''] = /^more: --cursor (\S+)$/.exec(more ?? '') ?? [];
  const next = await run('list', '--limit', '1', '--cursor', cursor);
  expect(next.out).toContain(`${parked.id}  parked (unlinked)`);
  expect(next.out).toContain(`user ${USER}`);
  expect(await run('list', '--state', 'parked', '--cursor', cursor)).toMatchObject({
    code: 1,
    err: expect.stringContaining('admin.cursor'),
  });
});

test.each([
  [['--state', 'parked'], 'parked'],
  [['--why', 'unlinked'], 'parked'],
  [['--structure', 'clinical_ready'], 'foreign'],
  [['--user', USER, '--client', OTHER_CLIENT], 'foreign'],
  [['--user', USER], 'parked'],
  [['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z', '--state', 'parked'], 'parked'],
  [['--mrn', '0012'], 'none'],
  [['--request', 'req_none'], 'none'],
  [['--fault', 'patient.none'], 'none'],
  [['--finding', 'code.unmapped'], 'none'],
] as const)('list takes %j', async (filter, found) => {
  const { code, out } = await run('list', ...filter, '--json');
  const ids = (JSON.parse(out) as { deliveries: { id: string }[] }).deliveries.map(({ id }) => id);
  const expected = { parked: [parked.id], foreign: [foreign.id], none: [] };
  expect([code, ids]).toEqual([0, expected[found]]);
});

test('show tells what became of one', async () => {
  const { code, out } = await run('show', parked.id);
  expect(code).toBe(0);
  expect(out).toContain(`id         ${parked.id}\n`);
  expect(out).toMatch(/\nsteps\n {2}\S+ {2}received {2}by source\n {2}\S+ {2}received to parked {2}unlinked/);
  expect(JSON.parse((await run('show', parked.id, '--json')).out)).toMatchObject({ id: parked.id, attempts: [] });
  expect(await run('show', 'dlv_none')).toMatchObject({ code: 1, err: expect.stringContaining('delivery.not-found') });
});

test('raw gives the bytes to who says why', async () => {
  expect(await run('raw', parked.id, '--reason', 'Looks odd')).toMatchObject({ code: 0, out: JSON.stringify(steps) });
  const { out } = await run('raw', parked.id, '--reason', 'Looks odd', '--json');
  const { id, bytes } = JSON.parse(out) as { id: string; bytes: string };
  expect([id, Buffer.from(bytes, 'base64').toString()]).toEqual([parked.id, JSON.stringify(steps)]);
  expect(await run('raw', 'dlv_none', '--reason', 'Looks odd')).toMatchObject({ code: 1 });
});

test.each([
  [[], 'Say one of'],
  [['lists'], 'no subcommand'],
  [['list', 'dlv_1'], 'takes no id'],
  [['list', '--reason', 'x'], '--why'],
  [['show'], 'takes one id'],
  [['show', 'a', 'b'], 'takes one id'],
  [['show', 'a', '--state', 'parked'], 'Filters are for list'],
  [['raw', 'a'], 'needs --reason'],
  [['list', '--stat', 'parked'], 'There is no option'],
])('%j is a wrong call', async (args, said) => {
  expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
});
