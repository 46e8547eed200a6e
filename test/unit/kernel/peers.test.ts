import { expect, test } from '@jest/globals';
import { shareCalls, type Peers } from '../../../src/kernel/index.ts';

/** Processes that hear each other at once, through JSON as between real ones. */
function makeParty(count: number): readonly Peers[] {
  const listeners = Array.from({ length: count }, () => new Map<string, (value: unknown) => void>());
  return listeners.map((own) => ({
    tell: (topic, value) =>
      listeners
        .filter((one) => one !== own)
        .forEach((one) => one.get(topic)?.(JSON.parse(JSON.stringify(value)) as unknown)),
    onTold: (topic, listener) => void own.set(topic, listener),
  }));
}

test('what is called at one is called once at each, and a refused call is not', () => {
  const seen: string[] = [];
  const shared = makeParty(3).map((peers, at) =>
    shareCalls(peers, 'tries', {
      take(name: string, count: number): boolean {
        if (count > 2) return false;
        seen.push(`${at}:${name}:${count}`);
        return true;
      },
    }),
  );
  expect(shared[1]?.take('ada', 1)).toBe(true);
  expect(seen.sort()).toEqual(['0:ada:1', '1:ada:1', '2:ada:1']);
  expect(shared[0]?.take('ada', 3)).toBe(false);
  expect(seen).toHaveLength(3);
});

test('topics are apart', () => {
  const [first, second] = makeParty(2);
  let calls = 0;
  if (first === undefined || second === undefined) throw new Error('two');
  const one = shareCalls(first, 'one', { call: () => undefined });
  shareCalls(second, 'two', {
    call() {
      calls += 1;
    },
  });
  one.call();
  expect(calls).toBe(0);
});
