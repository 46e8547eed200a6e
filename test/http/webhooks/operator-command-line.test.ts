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

test('what waits is grouped, noted, assigned, decided on and discarded', async () => {
  const { id } = await hooks.deliver(aStepsEvent({ userId: 'handled' }));
  const groups = await run('deliveries', 'groups');
  expect(groups.out).toMatch(new RegExp(`^parked unlinked: \\d+, from \\S+ to \\S+\\n.*such as .*${id}`, 's'));
  expect(JSON.parse((await run('deliveries', 'groups', '--json')).out)).toMatchObject({
    groups: [{ state: 'parked' }],
  });
  expect(await run('deliveries', 'replay', id)).toMatchObject({ code: 0, out: `${id} is looked at again\n` });
  await hooks.settled(id);
  expect(await run('deliveries', 'decide', id, 'approve')).toMatchObject({
    code: 1,
    err: expect.stringContaining('delivery.state'),
  });
  expect(await run('deliveries', 'note', id, 'asked the source')).toMatchObject({ code: 0 });
  expect(await run('deliveries', 'assign', id, 'nobody-known')).toMatchObject({
    code: 1,
    err: expect.stringContaining('operator.not-found'),
  });
  const added = await run('operators', 'add', 'ada', '--display-name', 'Ada', '--roles', 'engineer', '--json');
  const operator = (JSON.parse(added.out) as { id: string }).id;
  expect(await run('deliveries', 'assign', id, 'ada')).toMatchObject({ code: 0, out: `${id} is assigned to ada\n` });
  expect(await hooks.read(id)).toMatchObject({
    assignedTo: { id: operator, name: 'ada' },
    notes: [{ actor: 'operator', text: 'asked the source' }],
  });
  const foundFor = async (whom: string): Promise<boolean> => {
    const { code, out } = await run('deliveries', 'list', '--assigned-to', whom, '--limit', '500', '--json');
    expect(code).toBe(0);
    return (JSON.parse(out) as { deliveries: { id: string }[] }).deliveries.some((one) => one.id === id);
  };
  expect([await foundFor('ada'), await foundFor(operator), await foundFor('nobody')]).toEqual([true, true, false]);
  for (const whom of ['me', 'nobody-known'])
    expect(await run('deliveries', 'list', '--assigned-to', whom)).toMatchObject({
      code: 1,
      err: expect.stringContaining('assigned_to'),
    });
  expect(await run('deliveries', 'assign', id, '--nobody')).toMatchObject({ code: 0, out: `${id} is nobody's\n` });
  expect(await hooks.read(id)).toMatchObject({ assignedTo: null });
  expect([await foundFor('ada'), await foundFor('nobody')]).toEqual([false, true]);
  expect(await run('deliveries', 'discard', id, '--reason', 'not wanted')).toMatchObject({ code: 0 });
  expect((await hooks.read(id)).state).toBe('discarded');
  expect(hooks.atRest()).not.toContain('asked the source');
});

test('a bulk act is previewed, started, watched, listed, shown and stopped', async () => {
  for (const userId of ['many-1', 'many-2']) await hooks.deliver(aStepsEvent({ userId }));
  const choice = ['--act', 'replay', '--state', 'parked', '--reason', 'unlinked'];
  const shown = await run('jobs', 'start', '--preview', ...choice);
  const [, count = '', id = ''] =
    /^Would replay (\d+) deliveries of \d+ patients\.\nTo start it: chartgate jobs start (\S+) --confirm \d+\n$/.exec(
      shown.out,
    ) ?? [];
  expect([shown.code, Number(count) >= 2, id]).toEqual([0, true, expect.stringMatching(/^job_/)]);
  expect(await run('jobs', 'start', id, '--confirm', '99')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`job.unconfirmed, it is ${count}`),
  });
  const done = await run('jobs', 'start', id, '--confirm', count);
  expect([done.code, done.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`state +done\\ndeliveries +${count} of ${count} done`)),
  ]);
  expect((await run('jobs', 'list')).out).toContain(`${id}  `);
  expect(JSON.parse((await run('jobs', 'show', id, '--wait', '--json')).out)).toMatchObject({ id, state: 'done' });
  expect(await run('jobs', 'stop', id)).toMatchObject({ code: 1, err: expect.stringContaining('job.state') });
  expect((await run('jobs', 'start', '--preview', '--act', 'replay', '--state', 'lost')).err).toContain('filter');
});

test.each([
  [['deliveries']],
  [['deliveries', 'decide', 'a']],
  [['deliveries', 'discard', 'a']],
  [['deliveries', 'replay', 'a', '--reason', 'x']],
  [['deliveries', 'note', 'a', 'b', 'c']],
  [['deliveries', 'replay', 'a', '--nobody']],
  [['jobs']],
  [['jobs', 'list', 'x']],
  [['jobs', 'start']],
  [['jobs', 'start', 'x']],
  [['jobs', 'start', 'x', '--confirm', 'many']],
  [['jobs', 'start', 'x', '--confirm', '1', '--act', 'replay']],
  [['jobs', 'start', '--preview', '--act', 'replay']],
  [['jobs', 'stop', 'x', '--wait']],
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
