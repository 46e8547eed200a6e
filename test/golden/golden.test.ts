import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { standardMappings } from '../support/standard-mappings.ts';
import { CASES, fileOf, readCase, runCase } from './read-case.ts';

describe.each(CASES)('%s', (name) => {
  const { text, problems } = runCase(name, standardMappings());

  test(readCase(name).about, () => {
    expect(text).toBe(readFileSync(fileOf(name, 'expected.json'), 'utf8'));
  });

  test('is valid R4, with the vital-signs and laboratory profiles', () => {
    expect(problems).toEqual([]);
  });
});
