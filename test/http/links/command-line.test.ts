import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aStepsEvent } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { outcome, startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
let folder: string;
beforeAll(async () => {
  hooks = await startHookGateway();
  folder = mkdtempSync(join(tmpdir(), 'chartgate-cli-'));
});
afterAll(async () => {
  await hooks.stop();
  rmSync(folder, { recursive: true });
});

const run = (args: readonly string[], more: { env?: Record<string, string>; stdin?: string } = {}) =>
  runCommand(args, {
    ...more,
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}`, ...more.env },
  });
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('link confirms, proposes and revokes at the running gateway', async () => {
  const { id } = await hooks.deliver(aStepsEvent({ userId: 'cli user/1' }));
  expect(await run(['link', 'cli user/1', '0012', '--propose', '--evidence', 'seen'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is proposed'),
  });
  const confirmed = await run(['link', 'cli user/1', '0012', '--json']);
  expect([confirmed.code, JSON.parse(confirmed.out)]).toMatchObject([0, { change: 'confirmed', released: 1 }]);
  expect(outcome(await hooks.read(id))).toEqual(['queued', 'linked']);
  expect(await run(['link', 'cli user/1', '--revoke'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 wait for a link again'),
  });
  expect(await run(['link', 'cli user/1', '--revoke'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('link.not-found'),
  });
  expect(await run(['link', 'u', ' 1'])).toMatchObject({ code: 1, err: expect.stringContaining('mrn') });
});

test('what would be withdrawn of a patient who is restricted is shown to who says why, and not withdrawn before', async () => {
  await run(['link', 'guarded', '0077']);
  await hooks.put('patients/0077/restriction', {});
  const refused = { code: 1, err: expect.stringMatching(/--reason TEXT.*admin\.reason-needed/) };
  expect(await run(['link', 'guarded', '--revoke', '--charted', 'retract'])).toMatchObject(refused);
  expect(await run(['audit', 'search', '--patient', '0077'])).toMatchObject(refused);
  const reason = ['--reason', 'Asked for by the ward'];
  expect(await run(['audit', 'search', '--patient', '0077', ...reason])).toMatchObject({ code: 0 });
  expect(await run(['link', 'guarded', '--revoke', '--charted', 'retract', ...reason])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is revoked'),
  });
});

test('link warns of a client whose deliveries the gateway does not take', async () => {
  const other = 'c0ffee00-0000-4000-8000-00000000beef';
  expect(await run(['link', 'of-another', '0099', '--client', other])).toMatchObject({
    code: 0,
    out: expect.stringContaining('confirmed'),
    err: expect.stringContaining('Warning'),
  });
  expect((await run(['link', 'of-ours', '0098'])).err).toBe('');
});

test.each([
  [['link']],
  [['link', 'u']],
  [['link', 'u', '1', '2']],
  [['link', 'u', '1', '--revoke']],
  [['link', 'u', '--revoke', '--propose']],
  [['link', 'u', '1', '--colour']],
  [['links']],
  [['links', 'export', 'x']],
  [['links', 'import']],
])('%j is told how it is used', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Try "chartgate link') });
});

test.each(['link', 'links'])('%s --help tells what it does', async (name) => {
  expect(await run([name, '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Usage: chartgate ${name}`),
  });
});

test('links import sends good rows in chunks and tells every bad one by the line of the file', async () => {
  const rows = Array.from({ length: 1100 }, (_, i) => `bulk${i},b${i},\n`);
  rows.splice(700, 0, 'odd, 1,\n', 'more,"1,\n');
  const path = file('many.csv', `user_id,mrn,evidence\r\n${rows.join('')}bulk5,other,\n`);
  const dry = await run(['links', 'import', path, '--dry-run']);
  expect([dry.code, dry.out]).toEqual([
    1,
    'line 7: row.repeated\nline 702: row.mrn\nline 703: row.quotes\nline 1104: row.repeated\nWould be: 1103 rows: 1099 confirmed, 4 bad\n',
  ]);
  const done = await run(['links', 'import', path, '--json']);
  expect([done.code, JSON.parse(done.out)]).toMatchObject([
    1,
    {
      dryRun: false,
      rows: 1103,
      confirmed: 1099,
      unchanged: 0,
      bad: [{ line: 7 }, { line: 702 }, { line: 703 }, { line: 1104 }],
    },
  ]);
  expect(await run(['links', 'import', '-'], { stdin: 'user_id,mrn\nbulk1,b1\nbulk2,new\n' })).toMatchObject({
    code: 0,
    out: '2 rows: 1 changed, 1 unchanged, 0 bad\n',
  });
});

test('what cannot be read or reached is a sentence and an exit code', async () => {
  expect(await run(['links', 'import', join(folder, 'none.csv')])).toMatchObject({
    code: 2,
    err: expect.stringContaining('ENOENT'),
  });
  expect(await run(['links', 'import', file('head.csv', 'a,b\n')])).toMatchObject({
    code: 2,
    err: expect.stringContaining('user_id'),
  });
  for (const [more, says] of [
    [{ CHARTGATE_ADMIN_TOKEN: '' }, 'There is no operator’s token'],
    [{ CHARTGATE_ADMIN_TOKEN: '', CHARTGATE_ADMIN_TOKEN_FILE: join(folder, 'none') }, 'cannot be read (ENOENT)'],
    [{ CHARTGATE_ADMIN_TOKEN: '', CHARTGATE_ADMIN_TOKEN_FILE: file('empty', '\n') }, 'is empty'],
    [{ CHARTGATE_ADMIN_TOKEN: 'two words' }, 'no header can carry'],
  ] as const)
    expect(await run(['link', 'u', '1'], { env: { ...more } })).toMatchObject({
      code: 78,
      err: expect.stringContaining(says),
    });
  expect(await run(['link', 'u', '1', '--url', 'http://127.0.0.1:9'])).toMatchObject({
    code: 69,
    err: expect.stringContaining('No gateway answers'),
  });
  expect(await run(['link', 'u', '1'], { env: { CHARTGATE_ADMIN_TOKEN: 'wrong' } })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/not the operator's token.*admin\.unauthenticated/),
  });
});
