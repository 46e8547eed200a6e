import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyCommandSet, StoreDeps } from '../../../src/store/index.ts';
import { takeLock } from '../../../src/store/sqlite/take-lock.ts';
import { probeSet } from '../../support/probe-commands/index.ts';
import { someKey, sqlitePlace, TEST_KEYS, type Place } from '../../support/new-store.ts';

/** Thirty and two in all. */
const TIMES = 8;

let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await (await place.open()).close();
});
afterEach(() => place.remove());

const fileOf = ({ database }: Place): string => (database.engine === 'sqlite' ? database.file : '');
const missing: AnyCommandSet = { ...probeSet, sqlite: pathToFileURL(join('nowhere', 'commands.ts')) };

test.each<[string, (of: Place) => Partial<StoreDeps> | Promise<Partial<StoreDeps>>]>([
  ['another data key', () => ({ keys: { data: [someKey()], pseudonym: TEST_KEYS.pseudonym } })],
  ['the other environment', () => ({ environment: 'sandbox' })],
  ['commands that cannot be loaded', () => ({ sets: [missing] })],
  [
    'a schema of a later version',
    async (of) => {
      await of.tamper('UPDATE schema_step SET version = 9999 WHERE version = (SELECT max(version) FROM schema_step)');
      return {};
    },
  ],
])('a database that is refused for %s is free when the refusal is told', async (_why, makeRefused) => {
  const refused = await makeRefused(place);
  for (let times = 0; times < TIMES; times += 1) {
    await expect(place.open(refused)).rejects.toThrow(/./);
    takeLock(fileOf(place))();
  }
});

test('a store that was refused opens at once with what it needs', async () => {
  for (let times = 0; times < 2; times += 1) {
    await expect(place.open({ environment: 'sandbox' })).rejects.toThrow(/./);
    await (await place.open()).close();
  }
});
