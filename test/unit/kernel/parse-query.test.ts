import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseQuery } from '../../../src/kernel/index.ts';

test('what a browser writes is read as it was', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      expect(parseQuery(new URLSearchParams(pairs).toString())).toEqual(pairs);
    }),
  );
});

test.each(['a=caf%E9', 'a=%', 'a=%zz', '%ff=1', 'a=%ED%A0%80', 'a=%C0%AF'])(
  '%s is no text, and not taken for one',
  (query) => {
    expect(parseQuery(query)).toBeNull();
  },
);

test('a name without a sign has no value, and empty pairs are none', () => {
  expect(parseQuery('a&&b=1=2&=')).toEqual([
    ['a', ''],
    ['b', '1=2'],
    ['', ''],
  ]);
});
