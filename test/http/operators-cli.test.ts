import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';

const TOKEN = 'operator-'.repeat(5);
let gateway: Gateway;
let place: Place;
const log = collectLog();
const url = () => `http://127.0.0.1:${gateway.port}`;

beforeAll(async () => {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const config = configOf(`sqlite:${place.database.file}?filesystem=any`, { CHARTGATE_ADMIN_TOKEN: TOKEN });
  gateway = await startGateway({ config, clock: systemClock, log });
});
afterAll(async () => {
  await gateway.stop();
  await place.remove();
});
const run = (args: readonly string[], token = TOKEN) =>
  runCommand(args, { env: { CHARTGATE_ADMIN_TOKEN: token, CHARTGATE_PUBLIC_URL: url() } });

test('the first administrator is made with a link on the terminal and in no log line', async () => {
  const made = await run(['operators', 'add', 'ada', '--display-name', 'Ada', '--roles', 'administrator,engineer']);
  const [, id = '', link = ''] = /^(opr_\w+)\n[^]*? {2}(http\S+#link=[\w-]{43})\n/.exec(made.out) ?? [];
  expect([made.code, made.err, id !== '', link !== '']).toEqual([0, '', true, true]);
  expect(JSON.stringify(log.lines)).not.toContain(link.split('#')[1]);

  expect((await run(['operators', 'list'])).out).toBe(`${id}  ada  active  administrator, engineer\n`);
  expect((await run(['operators', 'show', id])).out).toContain('second factors  none\n');
  expect(await run(['operators', 'disable', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('operator.last-administrator'),
  });
  const second = JSON.parse((await run(['operators', 'add', 'eve', '--roles', 'viewer', '--json'])).out) as {
    id: string;
  };
  expect((await run(['operators', 'roles', second.id, '--roles', 'viewer,auditor'])).out).toBe('viewer, auditor\n');
  expect((await run(['operators', 'disable', second.id])).out).toBe('disabled\n');
  expect((await run(['operators', 'enable', second.id])).out).toBe('enabled\n');
  expect((await run(['operators', 'reset', second.id])).out).toContain('#link=');
  expect((await run(['operators', 'remove', second.id])).out).toBe('removed\n');
});

test('a key works as the token does, as far as it may, and until it is removed', async () => {
  const made = await run(['keys', 'add', 'monitor', '--roles', 'administrator,engineer', '--days', '30', '--json']);
  const { id, key } = JSON.parse(made.out) as { id: string; key: string };
  expect((await run(['operators', 'list'], key)).code).toBe(0);
  const answer = await fetch(`${url()}/admin/api/ledger`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  const shown = await run(['keys', 'add', 'watch', '--permissions', 'flow.read']);
  expect(shown.out).toMatch(
    /^key_\w+, until it is removed\. Keep it now, it is not shown again:\n\n {2}cgk_[\w-]{43}\n/,
  );
  // The last use is written behind the answer.
  const listed = await eventually(
    async () => (await run(['keys', 'list'])).out,
    (out) => /monitor .* last used \d/.test(out),
  );
  expect(listed).toMatch(/monitor {2}administrator, engineer {2}until \S+Z {2}last used \S+Z\n/);
  expect(listed).toContain('watch  flow.read  until removed  last used never\n');
  expect((await run(['keys', 'remove', id])).out).toBe('removed\n');
  expect(await run(['operators', 'list'], key)).toMatchObject({
    code: 1,
    err: expect.stringContaining('operator.unauthenticated'),
  });
});

test.each([
  [['operators']],
  [['operators', 'add', 'x']],
  [['operators', 'show']],
  [['operators', 'list', 'x']],
  [['operators', 'remove', 'x', '--roles', 'viewer']],
  [['keys', 'add', 'x']],
  [['keys', 'add', 'x', '--roles', 'viewer', '--days', 'many']],
  [['keys', 'list', '--roles', 'viewer']],
  [['keys', 'remove']],
])('%j is refused with the usage', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining('Try "chartgate ') });
});

test('a role that does not exist is refused with those that do', async () => {
  expect(await run(['operators', 'add', 'x', '--roles', 'boss'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('viewer, engineer'),
  });
});
