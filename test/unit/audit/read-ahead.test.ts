import { expect, test } from '@jest/globals';
import type { StoredRecord } from '../../../src/audit/commands.ts';
import { makeReadAhead } from '../../../src/audit/read-ahead.ts';

const record = (seq: number): StoredRecord => ({
  seq,
  record: '',
  leaf: null,
  columns: null,
  link: new Uint8Array(32),
});

/** A chain that others still write to. */
function growing(length: number) {
  let end = length;
  return {
    grow: (by: number) => void (end += by),
    records: (_chain: string, after: number, limit: number) =>
      Promise.resolve(
        Array.from({ length: Math.max(0, Math.min(limit, end - after)) }, (_, i) => record(after + 1 + i)),
      ),
  };
}

test('everything comes once and in order, however it is asked for', async () => {
  for (const [length, limit] of [
    [0, 10],
    [1, 1],
    [1_999, 700],
    [2_000, 2_000],
    [4_000, 999],
    [6_123, Infinity],
  ] as const) {
    const take = makeReadAhead(growing(length));
    const seen: number[] = [];
    for (;;) {
      const some = await take('c', seen.at(-1) ?? 0, limit);
      if (some.length === 0) break;
      expect(some.length).toBeLessThanOrEqual(limit);
      seen.push(...some.map(({ seq }) => seq));
    }
    expect(seen).toEqual(Array.from({ length }, (_, i) => i + 1));
  }
});

test('what was written after the next page was asked for is not missed', async () => {
  const source = growing(2_000);
  const take = makeReadAhead(source);
  expect(await take('c', 0, 2_000)).toHaveLength(2_000);
  source.grow(5);
  expect(await take('c', 2_000, 5)).toHaveLength(5);
  expect(await take('c', 2_005, 5)).toEqual([]);
  source.grow(1);
  expect(await take('c', 2_005, 5)).toHaveLength(1);
});

test('two chains do not mix', async () => {
  const take = makeReadAhead({
    records: (chain, after) => Promise.resolve(after === 0 ? [{ ...record(1), record: chain }] : []),
  });
  expect((await take('a', 0, 1))[0]?.record).toBe('a');
  expect((await take('b', 0, 1))[0]?.record).toBe('b');
});
