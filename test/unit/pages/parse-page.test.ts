import { describe, expect, test } from '@jest/globals';
import { parsePage } from '../../support/pages/parse-page.ts';

const page = (...lines: string[]): string => lines.join('\n');
const fence = (language: string, ...lines: string[]): string => page(`\`\`\`${language}`, ...lines, '```');

test('every sh block is a step, in order; other languages are not', () => {
  const { steps, problems } = parsePage(
    page('# A page', fence('sh', 'one', 'more'), 'words', fence('ts', 'no'), fence('', 'no'), fence('bash', 'two')),
  );
  expect(problems).toEqual([]);
  expect(steps).toEqual([
    { kind: 'run', line: 2, text: 'one\nmore', exit: 0, repeatSeconds: 0, expected: [] },
    { kind: 'run', line: 13, text: 'two', exit: 0, repeatSeconds: 0, expected: [] },
  ]);
});

test('a block in a list loses its indent, and a fence of four holds one of three', () => {
  const { steps } = parsePage(page('1. First', '', '   ```sh', '   if a', '     b', '   ```', '````sh', '```', '````'));
  expect(steps.map(({ text }) => text)).toEqual(['if a\n  b', '```']);
});

test('answers belong to the block before them, whatever words stand between', () => {
  const { steps, problems } = parsePage(
    page(
      fence('sh', 'a'),
      'You see:',
      fence('output', 'b …'),
      '<!-- expect: ^b \\d+$ -->',
      fence('sh', 'c'),
      fence('json', '{"d": 1}'),
    ),
  );
  expect(problems).toEqual([]);
  expect(steps).toMatchObject([
    {
      text: 'a',
      expected: [
        { kind: 'lines', text: 'b …' },
        { kind: 'pattern', text: '^b \\d+$' },
      ],
    },
    { text: 'c', expected: [{ kind: 'json', text: '{"d": 1}' }] },
  ]);
});

test('comments before a block say how it is carried out', () => {
  const { steps, problems } = parsePage(
    page(
      '<!-- background: waits for It runs. -->',
      '',
      fence('sh', 'start'),
      '<!-- not run: there is no Docker here -->',
      fence('sh', 'docker run'),
      '<!-- repeat: 30 s -->',
      fence('sh', 'look'),
      '<!-- expect: done -->',
      '<!-- exit: 78 -->',
      fence('sh', 'fail'),
      '<!-- file: data/app.html -->',
      fence('html', '<p>'),
      '<!-- interrupt: start -->',
    ),
  );
  expect(problems).toEqual([]);
  expect(steps).toMatchObject([
    { kind: 'background', text: 'start', waitsFor: 'It runs.' },
    { kind: 'not-run', reason: 'there is no Docker here' },
    { kind: 'run', text: 'look', repeatSeconds: 30, expected: [{ kind: 'pattern', text: 'done' }] },
    { kind: 'run', text: 'fail', exit: 78 },
    { kind: 'file', path: 'data/app.html', text: '<p>\n' },
    { kind: 'interrupt', text: 'start' },
  ]);
});

test('the answer to a block that is not run is for the reader alone', () => {
  const { steps, problems } = parsePage(
    page('<!-- not run: there is no Docker here -->', fence('sh', 'a'), fence('output', 'b')),
  );
  expect([steps.length, problems]).toEqual([1, []]);
});

describe('what cannot be understood is said, with its line', () => {
  test.each([
    ['a word that is none', '<!-- expects: a -->', /^line 1: "expects" means nothing/],
    ['an answer to nothing', fence('output', 'a'), /^line 1: an answer without a block/],
    ['a reason that is none', page('<!-- not run: no -->', fence('sh', 'a')), /^line 1: why it is not run/],
    ['a pattern that is none', page(fence('sh', 'a'), '<!-- expect: ( -->'), /^line 4: this is no regular/],
    ['JSON that is none', page(fence('sh', 'a'), fence('json', '{')), /^line 4: this is no JSON/],
    ['a background without an end', page('<!-- background: yes -->', fence('sh', 'a')), /^line 1: a background block/],
    ['a repetition for ever', page('<!-- repeat: 500 s -->', fence('sh', 'a')), /^line 1: "repeat"/],
    ['a repetition until nothing', page('<!-- repeat: 5 s -->', fence('sh', 'a')), /^line 2: repeated until what/],
    ['a path that leads out', page('<!-- file: ../a -->', fence('html', 'a')), /^line 1: "..\/a" is no path/],
    ['a comment before nothing', '<!-- exit: 1 -->', /^line 1: no block follows "exit"/],
    ['a comment before another language', page('<!-- exit: 1 -->', fence('ts', 'a')), /^line 1: "exit" stands before/],
  ])('%s', (_, text, problem) => {
    expect(parsePage(text).problems).toEqual([expect.stringMatching(problem)]);
  });
});
