import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/run-command.ts';

let folder: string;
const file = () => join(folder, 'ehr-key.pem');
const env = () => ({ CHARTGATE_EHR_PRIVATE_KEY_FILE: file() });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-ehr-keys-'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  writeFileSync(file(), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Jwks = { readonly keys: readonly Readonly<Record<string, unknown>>[] };
const shown = async (): Promise<Jwks['keys']> => {
  const { code, out } = await runCommand(['ehr', 'jwks'], { env: env() });
  expect(code).toBe(0);
  return (JSON.parse(out) as Jwks).keys;
};
const kids = async (): Promise<unknown[]> => (await shown()).map(({ kid }) => kid);

test('ehr jwks prints the public keys of the settings, and nothing private', async () => {
  const keys = await shown();
  expect(keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES384', use: 'sig' })]);
  expect(JSON.stringify(keys)).not.toContain('"d"');
});

test('keys rotate ehr announces the next key, then changes to it, and keeps the one before published', async () => {
  const [first] = await kids();
  const announced = await runCommand(['keys', 'rotate', 'ehr', '--json'], { env: env() });
  const [present, next] = await kids();
  expect([announced.code, JSON.parse(announced.out)]).toEqual([
    0,
    { did: 'announced', present: first, next, past: null },
  ]);
  expect(present).toBe(first);
  const changed = await runCommand(['keys', 'rotate', 'ehr'], { env: env() });
  const after = await kids();
  expect([changed.code, after[0], after[2], after.length]).toEqual([0, next, first, 3]);
  expect(changed.out).toContain(`${String(next)} signs from the next start on`);
  expect(readdirSync(folder)).toEqual(['ehr-key.pem']);
});

test('keys rotate ehr changes the file that a link leads to, and leaves it to whom it belongs', async () => {
  const target = join(folder, 'secret');
  renameSync(file(), target);
  chmodSync(target, 0o640);
  symlinkSync('secret', file());
  expect((await runCommand(['keys', 'rotate', 'ehr'], { env: env() })).code).toBe(0);
  expect([lstatSync(file()).isSymbolicLink(), statSync(target).mode & 0o777, readdirSync(folder)]).toEqual([
    true,
    0o640,
    ['ehr-key.pem', 'secret'],
  ]);
  expect(await kids()).toHaveLength(2);
});

test('keys rotate ehr --stdout prints the keys for another place and leaves the file alone', async () => {
  const before = readFileSync(file(), 'utf8');
  const { code, out, err } = await runCommand(['keys', 'rotate', 'ehr', '--stdout'], { env: env() });
  const { keys } = JSON.parse(out) as Jwks;
  expect([code, keys.length, readFileSync(file(), 'utf8')]).toEqual([0, 2, before]);
  expect(err).toContain('is next');
});

test('without a file of keys, and with a key of no use, it says so', async () => {
  const none = await runCommand(['keys', 'rotate', 'ehr']);
  const noKey = await runCommand(['ehr', 'jwks']);
  writeFileSync(file(), 'garbage');
  const wrong = await runCommand(['keys', 'rotate', 'ehr'], { env: env() });
  expect([none, noKey, wrong].map(({ code, out }) => [code, out])).toEqual([
    [78, ''],
    [78, ''],
    [78, ''],
  ]);
  expect([none.err, noKey.err, wrong.err]).toEqual([
    expect.stringContaining('CHARTGATE_EHR_PRIVATE_KEY_FILE'),
    expect.stringContaining('CHARTGATE_EHR_PRIVATE_KEY'),
    expect.stringContaining('neither a private key'),
  ]);
});

test.each([
  [['ehr']],
  [['ehr', 'jwks', 'more']],
  [['keys', 'rotate', 'ehr', '--status']],
  [['keys', 'rotate', '--stdout']],
])('%j is not an order', async (args) => {
  expect((await runCommand(args, { env: env() })).code).toBe(2);
});
