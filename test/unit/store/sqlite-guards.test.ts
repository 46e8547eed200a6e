import { expect, test } from '@jest/globals';
import { isBeyondTrust, storeFault } from '../../../src/store/sqlite/errors.ts';
import { isSafeVersion } from '../../../src/store/sqlite/open-database.ts';

test.each([
  ['3.45.1', false],
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.52.0', false],
  ['3.52.1', true],
  ['3.53.4', true],
  ['4.0.0', true],
])('SQLite %s is safe to write with: %s', (version, isSafe) => {
  expect(isSafeVersion(version)).toBe(isSafe);
});

const thrown = (errcode: number): Error => Object.assign(new Error('x'), { errcode });

test.each([
  ['full disk', 13, 'store.full', false],
  ['busy', 5, 'store.busy', false],
  ['a write that failed', 778, 'store.io', false],
  ['a flush that failed', 1034, 'store.io', true],
  ['a corrupt file', 11, 'store.io', true],
  ['not a database', 26, 'store.io', true],
  ['a constraint', 2067, null, false],
])('%s (%i) concerns %s', (_what, errcode, code, isFinal) => {
  expect(storeFault(thrown(errcode))).toBe(code);
  expect(isBeyondTrust(thrown(errcode))).toBe(isFinal);
});
