import { expect, test } from '@jest/globals';
import { drawFindings, drawTable } from '../../../../tools/inferno/draw-table.ts';
import type { Finished, Outcome } from '../../../../tools/inferno/test-result.ts';

const aRun = (
  outcomes: Readonly<Record<string, Outcome>>,
  seconds: number,
  stopped: string | null = null,
): Finished => ({
  session: 's',
  tests: Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome, isOptional: false, message: '' })),
  stopped,
  seconds,
});

test('the table shows both sides, what is lost between them, and what stopped, in columns', () => {
  expect(
    drawTable([
      {
        name: 'US Core 6.1.0',
        ehr: aRun({ a: 'pass', b: 'pass', c: 'fail', d: 'skip' }, 4),
        gateway: aRun({ a: 'pass', b: 'skip', c: 'fail', d: 'skip' }, 5),
      },
      { name: 'SMART', ehr: null, gateway: aRun({ a: 'pass' }, 2, 'no page') },
    ]).split('\n'),
  ).toEqual([
    '| suite         | at the EHR itself: pass, fail, skip | through the gateway | lost | seconds |',
    '|---------------|-------------------------------------|---------------------|------|---------|',
    '| US Core 6.1.0 | 2, 1, 1                             | 1, 1, 2             | 1    | 9       |',
    '| SMART         | -                                   | 1, 0, 0 (STOPPED)   | -    | 2       |',
  ]);
});

test('findings stand under what they mean, in one line of words each; nothing is said where nothing was found', () => {
  const finding = { kind: 'lost', run: 'US Core', test: 'x-read', isOptional: true, message: 'two\n  words' } as const;
  expect(drawFindings({ unexpected: [], expected: [], unneeded: [] })).toBe('');
  expect(
    drawFindings({
      unexpected: [finding],
      expected: [{ ...finding, message: '', reason: 'known' }],
      unneeded: [{ run: 'Bulk', test: '-export', reason: 'gone', of: 'gateway' }],
    }).split('\n'),
  ).toEqual([
    'Not expected:',
    '  lost (optional): US Core · x-read',
    '      two words',
    '',
    'Expected:',
    '  lost (optional): US Core · x-read',
    '      because: known',
    '',
    'Expected, and did not happen: take it from tools/inferno/expected.ts:',
    '  Bulk · -export',
    '',
  ]);
});
