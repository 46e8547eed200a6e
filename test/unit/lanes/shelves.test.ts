import { expect, test } from '@jest/globals';
import { shelvesWith } from '../../../src/lanes/commands/ledger.ts';

const found = (...shelves: readonly string[]): string[] => shelvesWith(shelves).toSorted();

test('what tells of no shelf is always looked at', () => {
  expect(found()).toEqual(['']);
});

test('what was written before there were shelves is found by the local days around a day', () => {
  expect(found('2026-03-01')).toEqual(['', '2026-03-01', 'L2026-02-28', 'L2026-03-01', 'L2026-03-02']);
});

test('or by the part of a date that was given for it', () => {
  expect(found('2026-03')).toEqual(['', '2026-03', 'L2026-02-28', 'L2026-03', 'L2026-03-01', 'L2026-03-02']);
  expect(found('no date')).toEqual(['', 'Lno date', 'no date']);
});

test('and what a laboratory wrote before is looked at for laboratories alone', () => {
  expect(found('D00ff00ff00ff')).toEqual(['', 'D', 'D00ff00ff00ff']);
});
