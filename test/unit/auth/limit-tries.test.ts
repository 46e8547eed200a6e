import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { groupOf, makeLimitTries, SIGN_INS } from '../../../src/auth/limit-tries.ts';
import { testClock } from '../../support/clock.ts';

describe('wrong tries by address', () => {
  test('are so many at once, and then six a minute', () => {
    const clock = testClock();
    const tries = makeLimitTries(clock, SIGN_INS);
    for (let i = 0; i < SIGN_INS.most; i += 1) expect(tries.take('192.0.2.1')).toBe(true);
    expect([tries.take('192.0.2.1'), tries.take('192.0.2.2')]).toEqual([false, true]);
    clock.advance(60_000);
    expect(Array.from({ length: 7 }, () => tries.take('192.0.2.1'))).toEqual([...Array<boolean>(6).fill(true), false]);
  });

  test('are not used up by right ones', () => {
    const tries = makeLimitTries(testClock(), SIGN_INS);
    for (let i = 0; i < SIGN_INS.most * 3; i += 1) {
      expect(tries.take('192.0.2.1')).toBe(true);
      tries.giveBack('192.0.2.1');
    }
  });

  test('a sleep of any length gives no more than the first time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 20 }), (sleeps) => {
        const clock = testClock();
        const tries = makeLimitTries(clock, SIGN_INS);
        for (const ms of sleeps) {
          clock.advance(ms);
          let taken = 0;
          while (tries.take('192.0.2.1')) taken += 1;
          expect(taken).toBeLessThanOrEqual(SIGN_INS.most);
        }
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0'],
    ['2001:db8:1::', '2001:db8:1:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('%s counts as %s', (address, group) => {
    expect(groupOf(address)).toBe(group);
  });
});
