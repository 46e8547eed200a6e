import { expect, test } from '@jest/globals';
import { makeHearPeers } from '../../../src/workers/hear-peers.ts';

test('what was told before somebody listened is heard once, in its order, by who listens to it', () => {
  const { on, hear } = makeHearPeers();
  const heard: unknown[] = [];
  hear('a', 1);
  hear('b', 9);
  hear('a', 2);
  on('a', (value) => heard.push(value));
  hear('a', 3);
  on('b', (value) => heard.push(value));
  expect(heard).toEqual([1, 2, 3, 9]);
});
