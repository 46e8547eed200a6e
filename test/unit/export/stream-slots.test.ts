import { expect, test } from '@jest/globals';
import { makeStreamSlots } from '../../../src/export/stream-slots.ts';

test('one client has four at once, all have sixteen, and what was left is free again', () => {
  const take = makeStreamSlots();
  const taken = ['a', 'b', 'c', 'd'].map((client) => Array.from({ length: 5 }, () => take(client)));
  expect(taken.map((of) => of.filter((slot) => slot !== null).length)).toEqual([4, 4, 4, 4]);
  expect(take('e')).toBeNull();
  const [first, second] = taken[0] ?? [];
  first?.begin();
  first?.leave();
  first?.leave();
  expect(take('b')).toBeNull();
  const again = take('e');
  expect([again === null, take('e')]).toEqual([false, null]);
  second?.leave();
  for (const slot of [...taken.flat(), again]) slot?.leave();
});
