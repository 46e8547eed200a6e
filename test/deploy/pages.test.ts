import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMANDS } from '../../src/cli/index.ts';
import { anchorsOf } from '../support/deploy-files.ts';
import { read } from '../support/source-files.ts';

const PAGE = 'deploy/README.md';
const root = new URL('../../', import.meta.url).pathname;

test('deploy/README.md has no link that leads nowhere', () => {
  for (const [, link = '', anchor = ''] of read(PAGE).matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
    const target = link === '' ? PAGE : join(dirname(PAGE), link);
    expect([target, existsSync(join(root, target))]).toEqual([target, true]);
    if (anchor !== '') expect([...anchorsOf(target)]).toContain(anchor);
  }
});

test('deploy/README.md names commands that exist, and no path of a machine', () => {
  const names = new Set(COMMANDS.map(({ name }) => name));
  const named = [...read(PAGE).matchAll(/`(?:chartgate|node \/\S+main\.js) ([a-z]+)[^`]*`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  expect(read(PAGE)).not.toMatch(/(^|[^\w./-])\/(root|home|work|tmp)\//);
});
