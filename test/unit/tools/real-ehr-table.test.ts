import { expect, test } from '@jest/globals';
import { drawTable, readRows } from '../../../tools/real-ehr-table.ts';

const result = (title: string, status: string, ancestorTitles: string[] = []) => ({
  fullName: [...ancestorTitles, title].join(' '),
  ancestorTitles,
  title,
  status,
  duration: 1_234,
});
const REPORT = {
  testResults: [
    { name: '/anywhere/versions.test.ts', assertionResults: [result('stands', 'failed')] },
    {
      name: '/anywhere/edits.test.ts',
      assertionResults: [result('waits', 'passed', ['a note']), result('later', 'pending')],
    },
  ],
};
const FIGURES = '{"test":"stands","text":"8 Observations"}\n{"test":"stands","text":"1 changed"}\n';

test('each test is a row under its file, with what it showed', () => {
  expect(readRows(REPORT, FIGURES)).toEqual([
    { part: 'edits', what: 'a note, waits', held: 'yes', seconds: 1.2, figures: '' },
    { part: 'edits', what: 'later', held: 'skipped', seconds: 1.2, figures: '' },
    { part: 'versions', what: 'stands', held: 'NO', seconds: 1.2, figures: '8 Observations; 1 changed' },
  ]);
});

test('the table names a file once, and goes on in the next line where a name is long', () => {
  const lines = drawTable([
    { part: 'edits', what: 'word '.repeat(30).trim(), held: 'yes', seconds: 2, figures: 'three' },
    { part: 'edits', what: 'short', held: 'NO', seconds: 0.1, figures: '' },
  ]).split('\n');
  expect(lines.map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
    'what was run held seconds figures',
    'edits',
    `${'word '.repeat(17)}yes 2.0 three`,
    'word '.repeat(13).trim(),
    'short NO 0.1',
    '',
  ]);
});
