import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_RULES, PROFILE_NAMES, RULES } from '../../../src/r4/index.ts';
import { CORRECTIONS } from '../../../src/r4/fhirpath/corrections.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'validation.md'), 'utf8');

test('every rule is on the page with its code and meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| ([\w-]+) \| (error|warning) \| (.+) \|$/gm)].map(
    ([, rule, code, severity, about]) => ({ rule, code, severity, about: about?.replaceAll('\\|', '|') }),
  );
  expect(rows).toEqual(
    Object.entries(RULES).map(([rule, { code, severity, about }]) => ({ rule, code, severity, about })),
  );
  for (const rule of Object.keys(JSON_RULES)) expect(page).toContain(`| \`${rule}\` |`);
});

test('every correction and every profile is on the page', () => {
  for (const key of Object.keys(CORRECTIONS)) expect(page).toContain(key);
  for (const profile of PROFILE_NAMES) expect(page).toContain(`\`${profile}\``);
});
