import { beforeAll, expect, test } from '@jest/globals';
import { loadSlowInvariants } from '../../../../src/guides/index.ts';
import {
  compileGuides,
  loadValidator,
  RULES,
  type Issue,
  type ProfileSet,
  type Validator,
} from '../../../../src/r4/index.ts';
import { readGuideCases, readOwnGuide, readOwnGuides, type GuideCase } from '../../../support/own-guides.ts';

/** Where we decide otherwise, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'invariants/observation/descendants-broken': 'its invariant cannot be compiled, and stands in the list of those',
};

const cases = readGuideCases();

let set: ProfileSet;
let validator: Validator;
let imposed: readonly string[] = [];

beforeAll(async () => {
  const compiled = compileGuides(await readOwnGuides());
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  set = compiled.value;
  validator = loadValidator({
    guides: { profiles: set, imposed: (_, isOutermost) => (isOutermost ? imposed : []) },
  });
});

function judge({ profile, profiles = [], resource }: GuideCase): {
  readonly isValid: boolean;
  readonly errors: readonly Issue[];
} {
  imposed = profile === undefined ? profiles : [profile];
  const errors = validator.validate(resource).filter(({ severity }) => severity === 'error');
  return { isValid: validator.isValid(resource), errors };
}

test('every case of our own guides is judged as the specification says', () => {
  const wrong = cases
    .filter((one) => judge(one).isValid !== (one.expected === 'valid'))
    .map(({ name }) => name)
    .sort();
  expect(cases.length).toBeGreaterThan(500);
  expect(wrong).toEqual(Object.keys(OTHERWISE).sort());
});

test('the quick answer and the report agree, and every finding has its place and its profile', () => {
  for (const one of cases) {
    const { isValid, errors } = judge(one);
    expect([one.name, errors.length === 0]).toEqual([one.name, isValid]);
    for (const { expression, text } of errors) expect([expression, text]).not.toContain('');
  }
});

test('every rule of the engine is broken by some case, but for those with a test of their own', () => {
  const broken = new Set(cases.flatMap((one) => judge(one).errors.map(({ rule }) => rule)));
  const own = Object.keys(RULES).filter((rule) => /^(?:profile|slice)-|^extension-(?:context|modifier)$/.test(rule));
  expect(own.filter((rule) => !broken.has(rule)).sort()).toEqual(['profile-costly', 'profile-nested']);
});

test('what is not checked is listed with its reason', () => {
  const own = set.notChecked.filter(({ profile }) => profile.startsWith('http://example.org/'));
  const listed = own.map(({ what, name }) => `${what} ${name}`);
  expect([...new Set(listed)].sort()).toEqual([
    'binding http://example.org/fhir/basics/ValueSet/not-expandable',
    'invariant obs-descendants',
  ]);
  for (const { reason, profile, element } of set.notChecked) expect([reason, profile, element]).not.toContain('');
});

test('what cannot be compiled is evaluated slowly where somebody asks for it', async () => {
  const compiled = compileGuides([await readOwnGuide('invariants')], { compileSlowly: loadSlowInvariants() });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  expect(compiled.value.notChecked).toEqual([]);
  const slow = loadValidator({
    guides: { profiles: compiled.value, imposed: (_, isOutermost) => (isOutermost ? imposed : []) },
  });
  const own = cases.filter(({ name }) => name.startsWith('invariants/'));
  const wrong = own.filter((one) => {
    imposed = one.profile === undefined ? (one.profiles ?? []) : [one.profile];
    return slow.isValid(one.resource) !== (one.expected === 'valid');
  });
  expect([own.length > 50, wrong.map(({ name }) => name)]).toEqual([true, []]);
});
