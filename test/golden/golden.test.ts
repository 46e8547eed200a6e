import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { standardMappings } from '../support/standard-mappings.ts';
import { CASES, fileOf, readCase, runCase } from './read-case.ts';

describe.each(CASES)('%s', (name) => {
  let done: Awaited<ReturnType<typeof runCase>>;
  beforeAll(async () => {
    done = await runCase(name, standardMappings());
  });

  test(readCase(name).about, () => {
    expect(done.text).toBe(readFileSync(fileOf(name, 'expected.json'), 'utf8'));
  });

  test('is valid R4, with the vital-signs and laboratory profiles', () => {
    expect(done.problems).toEqual([]);
  });
});
