import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aStepsEvent } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
let id: string;
beforeAll(async () => {
  hooks = await startHookGateway();
  await hooks.put('links/one', { mrn: '0001' });
  await hooks.put('links/two', { mrn: '0002' });
  ({ id } = await hooks.deliver(aStepsEvent({ userId: 'one' })));
});
afterAll(() => hooks.stop());

const run = (...args: string[]) =>
  runCommand(args, {
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` },
  });
const seenOf = async (mrn: string): Promise<string[]> => {
  const { records } = (await hooks.admin('get', `audit?patient=${mrn}&type=admin`)).body as {
    records: { why: string }[];
  };
  return records.map(({ why }) => why).filter((why) => why !== 'audit.search' && why !== 'delivery');
};

test('patients are listed page by page, and each one shown is recorded', async () => {
  const first = (await hooks.admin('get', 'patients?limit=1')).body as { patients: object[]; next: string };
  expect(first.patients).toMatchObject([{ mrn: '0002', users: 1, connections: 0, lastDeliveryAt: null }]);
  expect(await seenOf('0001')).toEqual([]);
  const second = (await hooks.admin('get', `patients?cursor=${first.next}`)).body as { patients: object[] };
  expect(second).toMatchObject({ patients: [{ mrn: '0001', lastDeliveryAt: expect.any(String) }], next: null });
  expect(await seenOf('0001')).toEqual(['patients']);
  expect((await hooks.admin('get', 'patients?cursor=x')).status).toBe(400);
});

test('a timeline is of one patient, and recorded as a look at it', async () => {
  const { events } = (await hooks.admin('get', 'patients/0001/timeline')).body as { events: object[] };
  expect(events).toMatchObject([
    { kind: 'delivery', deliveryId: id, dataStructure: 'steps_event', state: 'queued' },
    { kind: 'link', status: 'confirmed', by: 'operator' },
  ]);
  expect(await seenOf('0001')).toContain('patient timeline');
  const page = (await hooks.admin('get', 'patients/0001/timeline?limit=1')).body as { next: string };
  expect((await hooks.admin('get', `patients/0001/timeline?cursor=${page.next}`)).body).toMatchObject({
    events: [{ kind: 'link' }],
    next: null,
  });
  expect((await hooks.admin('get', 'patients/0009/timeline')).body).toEqual({ events: [], next: null });
  for (const cursor of ['x', 'dDEuMi4z', 'ZTE'])
    expect([200, 400]).toContain((await hooks.admin('get', `patients/0001/timeline?cursor=${cursor}`)).status);
  expect((await hooks.admin('get', 'patients/0001/timeline?cursor=ZTE')).status).toBe(400);
});

test('the command line shows the same', async () => {
  expect(await run('patients', 'list')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^0002 {2}1 users {2}0 connections {2}last delivery never\n0001 /),
  });
  expect((await run('patients', 'timeline', '0001')).out).toMatch(
    /delivery {2}steps_event {2}queued.*\n.*link {2}confirmed/,
  );
  expect((await run('patients', 'timeline', '0009')).out).toBe('nothing\n');
  expect((await run('patients', 'timeline', '0001', '--limit', '1')).out).toMatch(/more: --cursor \S+\n$/);
  expect(JSON.parse((await run('patients', 'list', '--json')).out)).toMatchObject({ next: null });
  expect((await run('connections', '0001')).out).toBe('no connections\n');
  expect(await run('connections', '0009')).toMatchObject({ code: 1 });
  const wrong = [
    ['patients'],
    ['patients', 'timeline'],
    ['patients', 'list', '0001'],
    ['patients', 'restrict'],
    ['patients', 'restrict', '0001', '--limit', '1'],
    ['patients', 'restrictions', '0001'],
    ['connections'],
    ['connections', '1', '2'],
  ];
  for (const args of wrong) expect(await run(...args)).toMatchObject({ code: 2 });
});

test('the command line restricts a patient, shows who is restricted to who says why, and lifts it again', async () => {
  const why = ['--reason', 'Asked for by the ward'];
  expect(await run('patients', 'restrictions')).toMatchObject({ code: 0, out: 'nobody is restricted\n' });
  expect(await run('patients', 'restrict', '0002', ...why)).toMatchObject({
    code: 0,
    out: '0002 is restricted: nobody is shown it without saying why\n',
  });
  expect(JSON.parse((await run('patients', 'restrict', '0001', '--json')).out)).toEqual({ isRestricted: true });
  const refused = { code: 1, err: expect.stringContaining('admin.reason-needed') };
  expect(await run('patients', 'restrictions')).toMatchObject(refused);
  expect(await run('patients', 'timeline', '0001')).toMatchObject(refused);
  expect(await run('links', 'list', '--mrn', '0001')).toMatchObject(refused);
  const listed = await run('patients', 'restrictions', '--limit', '1', ...why);
  expect(listed.out).toMatch(/^0001 {2}since \S+ {2}by operator\nmore: --cursor \S+\n$/);
  expect((await run('links', 'list')).out).toMatch(
    /^(\S+ {2}confirmed {2}withheld \(restricted\) {2}by operator\n){2}$/,
  );
  expect((await run('links', 'list', ...why)).out).toMatch(/confirmed {2}two {2}0002 {2}by operator\n/);
  expect((await run('links', 'history', 'two', ...why)).out).toMatch(/0002 {2}by operator/);
  expect((await run('patients', 'list')).out).toBe('');
  expect((await run('patients', 'list', ...why)).out).toMatch(/^0002 .*\n0001 /);
  expect((await run('patients', 'timeline', '0002', ...why)).code).toBe(0);
  for (const mrn of ['0001', '0002'])
    expect(await run('patients', 'unrestrict', mrn)).toMatchObject({ code: 0, out: `${mrn} is not restricted\n` });
  expect((await run('patients', 'list')).out).toMatch(/^0002 /);
});
