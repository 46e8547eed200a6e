import { expect, test } from '@jest/globals';
import { matchesAnswer } from '../../support/pages/match-answer.ts';

type Kind = 'lines' | 'json' | 'pattern';

test.each<[Kind, string, string, boolean]>([
  ['lines', 'a (b)', 'a (b)\n', true],
  ['lines', 'a', 'a\nb\n', false],
  ['lines', 'a …', 'a 12\n', true],
  ['lines', 'a … c', 'a\nc\n', false],
  ['lines', 'a\n…\nd', 'a\nb\nc\nd\n', true],
  ['lines', 'a\n…\nd', 'a\nd\n', true],
  ['lines', 'a\n…', 'b\na\n', false],
  ['lines', '', '\n', true],
  ['json', '{"a": 1}', '{"b":2,"a":1}', true],
  ['json', '{"a": 1}', '{"a":2}', false],
  ['json', '{"a": "x…"}', '{"a":"xyz"}', true],
  ['json', '{"a": "…"}', '{"a":{"b":1}}', true],
  ['json', '[{"a": 2}]', '[{"a":1},{"a":2}]', true],
  ['json', '[{"a": 3}]', '[{"a":1},{"a":2}]', false],
  ['json', '{}', 'no JSON', false],
  ['pattern', '^b$', 'a\nb\nc', true],
  ['pattern', '^b$', 'abc', false],
])('%s: %j shown, %j printed: %s', (kind, text, printed, isRight) => {
  expect(matchesAnswer({ kind, line: 1, text }, printed)).toBe(isRight);
});
