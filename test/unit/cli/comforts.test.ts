import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COMMANDS, runCli } from '../../../src/cli/index.ts';
import { nearestWord } from '../../../src/cli/did-you-mean.ts';
import { wordsOfHelp } from '../../../src/cli/words-of-help.ts';
import type { Environment } from '../../../src/config/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'chartgate-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: readonly string[], env: Environment = {}, isTTY = false) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const code = await runCli(args, {
    env,
    stdin: new PassThrough(),
    stdout: Object.assign(out, { isTTY }),
    stderr: err,
    onExit: () => undefined,
    onReload: () => undefined,
    stopped: new Promise(() => undefined),
  });
  return { code, out: String(out.read() ?? ''), err: String(err.read() ?? '') };
}

test.each([
  [['srve'], 'Did you mean serve?'],
  [['lnks'], 'Did you mean links?'],
  [['clients', 'lst'], 'Did you mean list?'],
  [['ledger', '--jsn'], 'Did you mean --json?'],
  [['serve', '--chekc'], 'Did you mean --check?'],
])('%j is told what was probably meant, in two lines', async (args, advice) => {
  const { code, out, err } = await run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(advice);
  expect(err).toMatch(/^[^\n]+\nTry "chartgate [^\n]*--help"\.\n$/);
});

test('what is near nothing is not guessed at', async () => {
  expect((await run(['xyzzy'])).err).not.toContain('Did you mean');
  expect(nearestWord('x'.repeat(10_000), ['serve'])).toBeNull();
});

test('one slip of a long word leads back to it', () => {
  const names = COMMANDS.map(({ name }) => name);
  fc.assert(
    fc.property(fc.constantFrom(...names.filter((name) => name.length > 4)), fc.nat(), (name, n) => {
      const at = n % name.length;
      const found = nearestWord(name.slice(0, at) + name.slice(at + 1), names);
      expect(names).toContain(found);
    }),
  );
});

test('every command tells its usage and exit codes, and completion knows its words', () => {
  for (const command of COMMANDS) {
    expect(command.help).toMatch(/^Usage: chartgate /);
    expect(wordsOfHelp(command).options).toContain('--help');
  }
  const clients = COMMANDS.find(({ name }) => name === 'clients');
  if (clients === undefined) throw new Error('there is no command clients');
  expect(wordsOfHelp(clients).subcommands).toEqual(expect.arrayContaining(['add', 'list', 'remove']));
});

test.each(['bash', 'zsh', 'fish'])('completion for %s names every command', async (shell) => {
  const { code, out } = await run(['completion', shell]);
  expect(code).toBe(0);
  for (const { name } of COMMANDS) expect(out).toContain(name);
});

test('completion of an unknown shell is refused', async () => {
  expect((await run(['completion', 'tcsh'])).code).toBe(2);
  expect(JSON.parse((await run(['completion', '--json'])).out)).toHaveLength(COMMANDS.length);
});

const settingsOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

test('init writes settings that the doctor finds sound once they are filled in, and shows no secret', async () => {
  const file = join(folder, 'a.env');
  const { code, out } = await run(['init', '--file', file, '--database', `sqlite:${join(folder, 'a.db')}?create=yes`]);
  expect(code).toBe(0);
  const settings = settingsOf(file);
  for (const name of ['DATA_KEY', 'AUDIT_KEY', 'PSEUDONYM_KEY', 'WEBHOOK_SECRET', 'ADMIN_TOKEN'])
    expect(out).not.toContain(settings[`CHARTGATE_${name}`] ?? '');
  expect(statSync(file).mode & 0o077).toBe(0);

  const empty = await run(['doctor', '--json'], settings);
  expect(empty.code).toBe(78);
  expect((JSON.parse(empty.out) as { problems: { key: string }[] }).problems.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['CHARTGATE_EHR_URL', 'CHARTGATE_MRN_SYSTEM']),
  );

  const filled = {
    ...settings,
    CHARTGATE_EHR_URL: 'http://127.0.0.1:1/fhir',
    CHARTGATE_MRN_SYSTEM: 'urn:example:mrn',
    CHARTGATE_CLIENT_UUID: 'client-1',
  };
  const asked = await run(['doctor', '--json'], filled);
  expect(asked.code).toBe(69);
  expect(JSON.parse(asked.out)).toMatchObject({
    problems: [],
    connections: [
      { part: 'database', exit: 0 },
      { part: 'ehr', exit: 69 },
    ],
  });
  const seen = await run(['doctor'], filled, true);
  expect(seen.out).toContain('\u001b[32m✓\u001b[0m settings');
  expect(seen.out).toContain('\u001b[31m✗\u001b[0m ehr');
  expect((await run(['doctor'], { ...filled, NO_COLOR: '1' }, true)).out).not.toContain('\u001b');
});

test('init replaces nothing, and says where it could not write', async () => {
  const file = join(folder, 'b.env');
  writeFileSync(file, 'mine');
  const there = await run(['init', '--file', file]);
  expect([there.code, readFileSync(file, 'utf8')]).toEqual([78, 'mine']);
  expect((await run(['init', '--file', join(folder, 'none', 'c.env')])).code).toBe(78);
  expect((await run(['init', '--database', 'mysql://x'])).code).toBe(2);
});
