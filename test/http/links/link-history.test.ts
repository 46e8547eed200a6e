import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
let ehr: DemoEhr;
beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  hooks = await startHookGateway({ CHARTGATE_EHR_URL: ehr.url });
});
afterAll(async () => {
  await hooks.stop();
  await ehr.stop();
});

const register = (id: string, value: string, more: object = {}): void =>
  ehr.put({ resourceType: 'Patient', id, identifier: [{ system: 'urn:example:mrn', value }], ...more });
const preview = async (mrn: string) => (await hooks.admin('get', `patients/${mrn}/preview`)).body as object;
const run = (...args: string[]) =>
  runCommand(['links', ...args], {
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` },
  });
const seenOf = async (mrn: string): Promise<string[]> => {
  const { records } = (await hooks.admin('get', `audit?patient=${mrn}&type=admin`)).body as {
    records: { why: string }[];
  };
  return records.map(({ why }) => why);
};

test('whom the EHR has under an MRN is shown before a link is made, and recorded', async () => {
  register('ann', '0001', {
    name: [
      { use: 'maiden', family: 'Before' },
      { use: 'official', family: 'Example', given: ['Ann', 'B.'] },
    ],
    birthDate: '1970-01-02',
    gender: 'female',
  });
  expect(await preview('0001')).toEqual({
    found: 'one',
    patient: { name: 'Ann B. Example', birthDate: '1970-01-02', gender: 'female', isDeceased: false, isMerged: false },
    linkedUsers: 0,
  });
  await hooks.put('links/first', { mrn: '0001' });
  expect(await preview('0001')).toMatchObject({ linkedUsers: 1 });
  expect(await seenOf('0001')).toEqual(['patient preview', 'patient preview']);
  expect(await run('preview', '0001')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/name +Ann B\. Example\n/),
  });
});

test('whoever cannot be linked to is told by the reason, and shown nothing of', async () => {
  register('b', '0003');
  register('c', '0003');
  register('d', '0004', { active: false, name: [{ text: 'Closed' }] });
  register('e', '0005', { active: false, link: [{ type: 'replaced-by', other: { reference: 'Patient/ann' } }] });
  const found = async (mrn: string) => preview(mrn);
  expect(await found('0002')).toMatchObject({ found: 'none', patient: null });
  expect(await found('0003')).toMatchObject({ found: 'several', patient: null });
  expect(await found('0004')).toMatchObject({ found: 'inactive', patient: null });
  expect(await found('0005')).toMatchObject({ found: 'one', patient: { name: 'Ann B. Example', isMerged: true } });
  expect(await seenOf('0004')).toEqual(['patient preview']);
});

test('who linked a user to whom, and when, newest first', async () => {
  await hooks.put('links/moves', { mrn: '0010', status: 'proposed' });
  await hooks.put('links/moves', { mrn: '0010' });
  await hooks.put('links/moves', { mrn: '0011' });
  await hooks.put('links/stays', { mrn: '0010' });
  const { changes } = (await hooks.admin('get', 'links/moves/history')).body as {
    changes: { mrn: string; from: string | null; to: string; by: string }[];
  };
  const told = changes.map(({ mrn, from, to, by }) => `${mrn} ${from ?? '-'} ${to} ${by}`);
  expect([...told].sort()).toEqual([
    '0010 - proposed operator',
    '0010 confirmed revoked operator',
    '0010 proposed confirmed operator',
    '0011 - confirmed operator',
  ]);
  expect(told.at(-1)).toBe('0010 - proposed operator');
  expect((await hooks.admin('get', 'links/nobody/history')).status).toBe(404);
  expect(await seenOf('0011')).toContain('link history');
  expect((await run('history', 'moves')).out.split('\n')).toHaveLength(5);
});

test('links are listed by their filters, page by page', async () => {
  expect((await run('list', '--mrn', '0010')).out).toMatch(/confirmed {2}stays {2}0010[\s\S]*revoked {2}moves {2}0010/);
  const first = await run('list', '--limit', '1', '--status', 'confirmed');
  const [, cursor = ''] = /more: --cursor (\S+)/.exec(first.out) ?? [];
  expect(first.out).toMatch(/stays/);
  expect((await run('list', '--limit', '1', '--status', 'confirmed', '--cursor', cursor)).out).toMatch(/moves {2}0011/);
  expect(JSON.parse((await run('list', '--user', 'moves', '--json')).out)).toMatchObject({ next: null });
  expect(await run('list', '--status', 'lost')).toMatchObject({ code: 1 });
  expect(await run('list', 'somebody')).toMatchObject({ code: 2 });
  expect(await run('preview')).toMatchObject({ code: 2 });
  expect(await run('history', 'moves', '--mrn', '1')).toMatchObject({ code: 2 });
});
