import { describe, expect, test } from '@jest/globals';
import { loadValidator, RULES } from '../../../src/r4/index.ts';
import { ALL_CASES } from './rule-cases.ts';

const validator = loadValidator();

function label(resource: unknown): string {
  try {
    return (JSON.stringify(resource) as string | undefined)?.slice(0, 120) ?? String(resource);
  } catch {
    return 'too deep to print';
  }
}

for (const { rule, broken, sound } of ALL_CASES) {
  describe(rule, () => {
    broken.forEach((resource, i) =>
      test(`refuses ${i}: ${label(resource)}`, () => {
        expect(validator.isValid(resource)).toBe(false);
        expect(validator.validate(resource).map((issue) => issue.rule)).toContain(rule);
      }),
    );
    sound.forEach((resource, i) =>
      test(`accepts ${i}: ${label(resource)}`, () => {
        expect(validator.validate(resource)).toEqual([]);
        expect(validator.isValid(resource)).toBe(true);
      }),
    );
  });
}

test('every rule has a case that must fail, except those with a suite of their own', () => {
  const covered = new Set(ALL_CASES.map((c) => c.rule));
  const elsewhere = /^(?:vs|lab|profile|slice)-|^extension-(?:context|modifier)$|^issues-limit$|^dom-6$/;
  expect(Object.keys(RULES).filter((rule) => !covered.has(rule) && !elsewhere.test(rule))).toEqual([]);
});

test('all findings are reported, each with severity, code, place, text and rule', () => {
  const issues = validator.validate({
    resourceType: 'Patient',
    gender: 'x',
    birthDate: '2023-02-29',
    name: [{ given: [''], last: 'x' }],
  });
  expect(issues.map(({ severity, code, expression, rule }) => ({ severity, code, expression, rule }))).toEqual([
    { severity: 'error', code: 'code-invalid', expression: 'Patient.gender', rule: 'binding-required' },
    { severity: 'error', code: 'value', expression: 'Patient.birthDate', rule: 'primitive-date' },
    { severity: 'error', code: 'structure', expression: 'Patient.name[0].given[0]', rule: 'empty' },
    { severity: 'error', code: 'structure', expression: 'Patient.name[0]', rule: 'unknown-property' },
  ]);
  for (const issue of issues) expect(issue.text.length).toBeGreaterThan(10);
});

test('warnings are found when they are asked for', () => {
  const careful = loadValidator({ warnings: 'report' });
  const named = { resourceType: 'Library', status: 'draft', type: { text: 'x' }, name: 'lower case' };
  expect(validator.validate(named)).toEqual([]);
  expect(careful.validate(named).map((i) => [i.severity, i.rule])).toContainEqual(['warning', 'lib-0']);
  expect(careful.validate({ resourceType: 'Patient' }).map((i) => i.rule)).toEqual(['dom-6']);
  expect(careful.isValid(named)).toBe(true);
});

test('a resource that changed is judged anew', () => {
  const contained: unknown[] = [];
  const changing = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: '#p' },
    contained,
  };
  expect(validator.isValid(changing)).toBe(false);
  contained.push({ resourceType: 'Patient', id: 'p' });
  expect(validator.validate(changing)).toEqual([]);
  contained[0] = { resourceType: 'Organization', id: 'p', name: 'x' };
  expect(validator.validate(changing).map((issue) => issue.rule)).toEqual(['reference-target']);
});

test('in closed bundles every urn: reference leads to an entry', () => {
  const subject = { reference: 'urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000009' };
  const resource = { resourceType: 'Observation', status: 'final', code: { text: 'x' }, subject };
  const fullUrl = 'urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000001';
  const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ fullUrl, resource }] };
  expect(validator.validate(bundle)).toEqual([]);
  const closed = loadValidator({ bundles: 'closed' });
  expect(closed.validate(bundle).map((issue) => issue.rule)).toEqual(['bundle-unresolved']);
  expect(closed.isValid(bundle)).toBe(false);
  expect(closed.validate(resource)).toEqual([]);
});
