import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';

const TOKEN = 'operator-'.repeat(5);
const PASSWORD = 'correct horse battery';
let gateway: Gateway;
let place: Place;
const log = collectLog();
const env = () => ({ CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${gateway.port}` });

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
const run = (args: readonly string[], stdin?: string) =>
  runCommand(args, { env: env(), ...(stdin === undefined ? {} : { stdin }) });

test('an app is registered, listed without its secret, and removed', async () => {
  const add = [
    'clients',
    'add',
    '--name',
    'App',
    '--kind',
    'symmetric',
    '--scope',
    'openid patient/*.rs',
    '--redirect',
    'https://app.example/cb',
  ];
  const made = await run([...add, '--json']);
  const { id, secret } = JSON.parse(made.out) as { id: string; secret: string };
  expect([made.code, /^app_/.test(id), secret.length]).toEqual([0, true, 64]);
  const shown = await run(add);
  expect(shown.out).toMatch(/^app_\w+\nsecret: [0-9a-f]{64}\nKeep it now/);
  const listed = await run(['clients', 'list']);
  expect(listed.out).toContain(`${id}  symmetric  App  openid patient/*.rs\n`);
  expect((await run(['clients', 'list', '--json'])).out).not.toContain(secret);
  expect(await run(['clients', 'remove', id])).toMatchObject({ code: 0, out: 'removed\n' });
  expect(await run(['clients', 'remove', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('client.not-found'),
  });
});

test('a person is added with a password from standard input alone, and removed', async () => {
  const add = ['accounts', 'add', '--username', 'drsmith', '--name', 'Dr Smith', '--fhir-user', 'Practitioner/1'];
  const made = await run([...add, '--json'], `${PASSWORD}\n`);
  const { id } = JSON.parse(made.out) as { id: string };
  expect([made.code, made.out.includes(PASSWORD)]).toEqual([0, false]);
  expect(await run(add, `${PASSWORD}\n`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('account.name-taken'),
  });
  expect(await run(add, 'short\n')).toMatchObject({ code: 1, err: expect.stringContaining('password') });
  expect((await run(['accounts', 'list'])).out).toBe(`${id}  drsmith  Practitioner/1  password\n`);
  expect((await run(['accounts', 'remove', id])).code).toBe(0);
  expect((await run([...add, '--password', 'x'])).code).toBe(2);
  // Nobody vouches for such a person: no provider is configured.
  const bound = await run([...add, '--subject', 'ada']);
  expect(bound).toMatchObject({ code: 1, err: expect.stringContaining('account.no-provider') });
});

test('an app and a person are changed, disabled and enabled, and what they were given is listed and ended', async () => {
  const args = ['--kind', 'public', '--scope', 'openid patient/*.rs', '--redirect', 'https://edit.example/cb'];
  const made = await run(['clients', 'add', '--name', 'Before', ...args]);
  const app = made.out.trim();
  expect(await run(['clients', 'edit', app, '--name', 'After', '--scope', 'patient/*.rs'])).toMatchObject({
    code: 0,
    out: 'changed\n',
  });
  expect((await run(['clients', 'disable', app])).out).toBe('disabled\n');
  expect((await run(['clients', 'list'])).out).toContain(`${app}  public  After  patient/*.rs  disabled\n`);
  expect((await run(['clients', 'enable', app])).out).toBe('enabled\n');
  expect(await run(['clients', 'edit', app, '--scope', 'system/*.rs'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('`scope` must be'),
  });
  const added = await run(
    ['accounts', 'add', '--username', 'drjones', '--name', 'Dr Jones', '--fhir-user', 'Practitioner/2'],
    `${PASSWORD}\n`,
  );
  const person = added.out.trim();
  expect((await run(['accounts', 'disable', person])).out).toBe('disabled\n');
  expect((await run(['accounts', 'list'])).out).toContain(`${person}  drjones  Practitioner/2  password  disabled\n`);
  expect((await run(['accounts', 'enable', person])).out).toBe('enabled\n');
  expect((await run(['accounts', 'unlock', person])).out).toBe('unlocked\n');
  expect((await run(['accounts', 'reset', person], 'another made-up sentence\n')).out).toBe('reset\n');
  expect((await run(['accounts', 'reset-factor', person])).out).toBe('reset\n');
  expect((await run(['accounts', 'reset', person], 'short\n')).err).toContain('`password` must be 12 to 200');
  expect((await run(['grants', 'list', '--account', person])).out).toBe('nothing\n');
  expect(JSON.parse((await run(['grants', 'list', '--client', app, '--json'])).out)).toEqual({
    grants: [],
    next: null,
  });
  expect(await run(['grants', 'end', 'grt_none'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('grant.not-found'),
  });
});

test.each([
  [['clients']],
  [['clients', 'edit', 'x']],
  [['clients', 'edit', 'x', '--kind', 'public', '--name', 'y']],
  [['clients', 'disable']],
  [['clients', 'disable', 'x', '--name', 'y']],
  [['accounts', 'reset']],
  [['accounts', 'unlock', 'x', '--name', 'y']],
  [['accounts', 'reset-factor']],
  [['accounts', 'disable', 'x', '--subject', 'y']],
  [['grants']],
  [['grants', 'list']],
  [['grants', 'list', '--client', 'x', '--account', 'y']],
  [['grants', 'list', 'x', '--client', 'x']],
  [['grants', 'end']],
  [['grants', 'end', 'x', '--limit', '3']],
  [['clients', 'add']],
  [['clients', 'remove']],
  [['clients', 'list', 'x']],
  [['clients', 'nix']],
  [['clients', 'add', '--name', 'x', '--kind', 'backend', '--scope', 'system/*.rs', '--jwks', 'no-such-file']],
  [['accounts']],
  [['accounts', 'add', '--username', 'x']],
  [['accounts', 'remove']],
])('%j are wrong arguments', async (args) => {
  expect((await run(args)).code).toBe(2);
});

test('help is there, and nothing that was said is in the log', async () => {
  for (const name of ['clients', 'accounts', 'grants'])
    expect((await run([name, '--help'])).out).toMatch(/^Usage: chartgate/);
  expect(JSON.stringify(log.lines)).not.toMatch(/correct horse|drsmith|Dr Smith/);
});

test('keys rotate makes a new key for id tokens, and says which one stays for a while', async () => {
  const jwks = async () => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/auth/jwks`);
    return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const [before] = await jwks();
  const told = await run(['keys', 'rotate']);
  const after = await jwks();
  expect([told.code, after.length, after[1]]).toEqual([0, 2, before]);
  expect(told.out).toContain(`signed with ${after[0] ?? ''} from now on\n${before ?? ''} stays in /auth/jwks until 2`);
  const again = await run(['keys', 'rotate', '--json']);
  expect(JSON.parse(again.out)).toMatchObject({ rotated: 'id-token', retiring: [{ kid: after[0] }] });
  for (const args of [['keys'], ['keys', 'show'], ['keys', 'rotate', 'all']]) expect((await run(args)).code).toBe(2);
  const anybody = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/keys/rotate`, { method: 'POST' });
  expect(anybody.status).toBe(401);
});
