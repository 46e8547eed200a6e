import { expect, test } from '@jest/globals';
import type { OwnAddress } from '../../../src/ehr/index.ts';
import { makeBoundPages } from '../../../src/smart/bound-pages.ts';

const page = (n: number): OwnAddress => ({ path: 'Observation', query: [['page', String(n)]] });

test('pages that lead back to one that was read are not followed', () => {
  const bound = makeBoundPages();
  expect([1, 2, 3].map((n) => bound(page(n)).ok)).toEqual([true, true, true]);
  expect(bound(null)).toEqual({ ok: true, value: null });
  expect(bound(page(2))).toMatchObject({ ok: false, fault: { code: 'ehr.answer-too-large' } });
});

test('pages that do not end are followed so far and no further', () => {
  const bound = makeBoundPages();
  let read = 0;
  while (bound(page(read)).ok) read += 1;
  expect(read).toBe(5_000);
});
