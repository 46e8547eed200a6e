import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadValidator } from '../../../src/r4/index.ts';
import { exampleText, R4_EXAMPLES } from '../../support/r4-examples.ts';

const validator = loadValidator();

describe('a sound example of HL7', () => {
  for (const [file, resource] of R4_EXAMPLES) {
    test(`${file} has no findings, as object and as text`, () => {
      expect(validator.validate(resource)).toEqual([]);
      expect(validator.checkText(exampleText(file))).toMatchObject({ kind: 'read', issues: [] });
    });
  }
});

test('the sample covers many types', () => {
  expect(R4_EXAMPLES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(R4_EXAMPLES.map(([, r]) => r.resourceType)).size).toBeGreaterThanOrEqual(60);
});

test('37 of the 712 example instances are known to break R4, each with its reason', () => {
  const list = readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'r4-defective-examples.json'), 'utf8');
  const reasons = Object.values(JSON.parse(list) as Record<string, string>);
  expect(reasons).toHaveLength(37);
  const kinds = Object.groupBy(reasons, (reason) => reason.split(' ')[0] ?? '');
  expect(Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length]))).toEqual({
    ucum: 21,
    'txt-2': 4,
    'reference-target': 4,
    'fullurl-id': 3,
    'primitive-canonical': 1,
    'cardinality-min': 1,
    'attachment-hash': 1,
    'identifier-system': 1,
    'narrative-link': 1,
  });
});
