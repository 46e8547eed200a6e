import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { stepsOf } from '../support/pages/run-page.ts';
import { filesBelow, read } from '../support/source-files.ts';

const PAGES = filesBelow('docs/tutorials', '.md').filter((page) => !page.endsWith('/README.md'));
/** A page needs a real server: `npm run test:real-ehr` runs it. */
const REAL_EHR = read('test/real-ehr/tutorials.test.ts');

/** Blocks that no test carries out, and why. More than a few would make the others look tested. */
const NOT_RUN = [
  ['README.md', 'it needs the settings of a hospital; docs/tutorials/go-live.md carries the same out'],
  ['README.md', 'it is the run of all tests'],
  [
    'docs/tutorials/connect-medplum.md',
    'it needs Docker; the page was tried against a server that was started from its sources',
  ],
];

test('README and every tutorial can be carried out, but for these blocks', () => {
  const left = ['README.md', ...PAGES].flatMap((page) =>
    stepsOf(page).flatMap((step) => (step.kind === 'not-run' ? [[page, step.reason]] : [])),
  );
  expect(left).toEqual(NOT_RUN);
});

test.each(PAGES)('%s is run by a test', (page) => {
  const own = page.replace('docs/', 'test/').replace(/\.md$/, '.test.ts');
  expect(existsSync(own) || REAL_EHR.includes(`runPage('${page}'`)).toBe(true);
});

test.each(PAGES)('%s says what its reader will have, how long it takes and where to go next', (page) => {
  const text = read(page);
  expect(text).toMatch(/^# .+\n\nAt the end /);
  expect(text).toMatch(/It takes about [a-z]+ minutes/);
  expect(text).toContain('## Where to go next');
  expect(read('docs/tutorials/README.md')).toContain(`](${page.replace('docs/tutorials/', '')})`);
});
