import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideConsent } from '../../../src/auth/decide-consent.ts';
import { intersectScopes, narrowScope, offerParts } from '../../../src/auth/narrow-scope.ts';
import { parseResourceScope } from '../../../src/auth/index.ts';

const LAB = 'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

describe('what can be granted of what is asked', () => {
  test.each([
    ['patient/Observation.rs', 'patient/*.rs', ['patient/Observation.rs']],
    ['patient/Observation.rs', 'patient/Observation.r', ['patient/Observation.r']],
    ['patient/Observation.read', 'patient/*.rs', ['patient/Observation.read']],
    ['patient/Observation.read', 'patient/Observation.s', ['patient/Observation.s']],
    ['patient/Observation.*', 'patient/*.*', ['patient/Observation.read']],
    ['patient/Observation.cruds', 'patient/*.cruds', ['patient/Observation.rs']],
    ['patient/Observation.cud', 'patient/*.cruds', []],
    ['patient/Observation.write', 'patient/*.cruds', []],
    ['patient/*.rs', 'patient/Observation.rs', []],
    ['user/Observation.rs', 'patient/*.rs', []],
    [LAB, 'patient/Observation.rs', [LAB]],
    [LAB, LAB, [LAB]],
    ['user/Subscription.cruds', 'user/Subscription.cruds', ['user/Subscription.cruds']],
    ['user/Subscription.cruds?criteria=x', 'user/Subscription.cruds', []],
    ['user/Subscription.cruds?criteria=x', 'user/Subscription.cruds?criteria=x', []],
    ['patient/Observation.rs', LAB, []],
    [LAB.replace('laboratory', 'vital-signs'), LAB, []],
    [LAB.replace('category=', 'code='), LAB, []],
    ['patient/Observation.rs?category=b', 'patient/Observation.rs?category=a', []],
    ['patient/Observation.rs?category=a', 'patient/Observation.rs?category=a&code=b', []],
    [
      'patient/Observation.rs?code=b&category=a',
      'patient/Observation.rs?category=a&code=b',
      ['patient/Observation.rs?code=b&category=a'],
    ],
    ['patient/Observation.rs?category=b&code=a', 'patient/Observation.rs?category=a&code=b', []],
    ['patient/Observation.rs?category=a&code=c', 'patient/Observation.rs?category=a&code=b', []],
    ['patient/Observation.rs?category=a&category=a', 'patient/Observation.rs?category=a&code=b', []],
    ['patient/Condition.rs?category=a', 'patient/Observation.rs?category=a', []],
    ['patient/Observation.rs?category=a', 'user/Observation.rs?category=a', []],
    ['patient/Observation.rs?category=a', 'patient/Observation.s?category=a', ['patient/Observation.s?category=a']],
    ['openid nix launch/patient', 'openid launch/patient fhirUser', ['openid', 'launch/patient']],
    ['offline_access', 'openid', []],
    [
      'patient/observation.rs Patient/Observation.rs patient/Observation.sr patient/Observation.',
      'patient/*.cruds',
      [],
    ],
    ['patient/Observation.rs?code:in=x patient/Observation.rs?_filter=x patient/*.rs?a=b', 'patient/*.rs', []],
  ])('%s of %s is %j', (asked, registered, granted) => {
    expect(narrowScope(asked, registered)).toEqual(granted);
  });

  test('a type that FHIR has not is left out', () => {
    const isType = (name: string): boolean => ['Patient', 'Observation'].includes(name);
    expect(
      narrowScope(
        'patient/Foo.rs patient/Patient.rs patient/*.rs openid',
        'openid patient/*.rs patient/Foo.rs',
        isType,
      ),
    ).toEqual(['patient/Patient.rs', 'patient/*.rs', 'openid']);
  });

  const scope = fc
    .tuple(
      fc.constantFrom('patient', 'user', 'system'),
      fc.constantFrom('*', 'Observation', 'Condition', 'Patient'),
      fc.constantFrom('read', 'write', '*', 'r', 's', 'rs', 'cruds', 'cu', 'sr'),
      fc.constantFrom('', '?category=a|b', '?_x=1'),
    )
    .map(([level, type, letters, query]) => `${level}/${type}.${letters}${query}`);
  const scopes = fc
    .array(fc.oneof(scope, fc.constantFrom('openid', 'launch', 'nix')), { maxLength: 8 })
    .map((all) => all.join(' '));

  test('is never wider than either, and is settled after one turn', () => {
    fc.assert(
      fc.property(scopes, scopes, (asked, registered) => {
        const granted = narrowScope(asked, registered);
        expect(narrowScope(granted.join(' '), registered)).toEqual(granted);
        for (const one of granted) {
          const parsed = parseResourceScope(one);
          if (parsed === null) expect(asked.split(' ')).toContain(one);
          else for (const letter of parsed.letters) expect(['r', 's']).toContain(letter);
          const within = (of: string): boolean =>
            of.split(' ').some((other) => {
              const wide = parseResourceScope(other);
              if (wide === null || parsed === null) return other === one;
              return wide.level === parsed.level && (wide.type === '*' || wide.type === parsed.type);
            });
          expect([within(asked), within(registered)]).toEqual([true, true]);
        }
      }),
    );
  });
});

describe('what a person allows', () => {
  const [laboratory, vitals] = offerParts('patient/Observation.rs').map((part) => part.scope);
  test.each([
    [['openid', 'patient/Observation.rs'], ['patient/Observation.rs'], ['openid', 'patient/Observation.rs']],
    [['openid', 'patient/Observation.rs'], [], ['openid']],
    [['patient/Observation.rs'], [laboratory ?? '', vitals ?? ''], [laboratory, vitals]],
    [['patient/Observation.rs'], ['patient/Observation.rs', laboratory ?? ''], ['patient/Observation.rs']],
    [['patient/Observation.rs'], ['patient/*.rs', 'user/Observation.rs', `${laboratory ?? ''}x`], []],
    [['offline_access', 'patient/Patient.rs'], ['patient/Patient.rs'], ['patient/Patient.rs']],
    [['offline_access', 'openid'], ['offline_access'], ['offline_access', 'openid']],
  ])('%j with %j ticked is %j', (asked, ticked, granted) => {
    expect(decideConsent(asked, ticked)).toEqual(granted);
  });

  test('a part of reading alone is a part of reading alone', () => {
    expect(offerParts('user/Condition.r').map(({ scope }) => scope.split('?')[0])).toEqual(
      Array(3).fill('user/Condition.r'),
    );
    expect(offerParts('patient/Observation.read')[0]?.scope).toMatch(/^patient\/Observation\.rs\?/);
    expect([offerParts('patient/*.rs'), offerParts(LAB), offerParts('openid')]).toEqual([[], [], []]);
  });
});

test.each([
  ['user/AuditEvent.rs', 'user/*.rs', []],
  ['system/AuditEvent.rs', 'system/*.*', []],
  ['user/AuditEvent.rs', 'user/AuditEvent.rs', ['user/AuditEvent.rs']],
  ['user/AuditEvent.rs user/*.rs', 'user/*.rs user/AuditEvent.r', ['user/AuditEvent.r', 'user/*.rs']],
  ['system/AuditEvent.rs', 'user/AuditEvent.rs', []],
])('the audit is granted only where it is registered by its name: %s of %s', (asked, registered, granted) => {
  expect(narrowScope(asked, registered)).toEqual(granted);
});

describe('what two sets of scopes both allow', () => {
  test.each([
    ['system/*.rs', 'system/Patient.rs', ['system/Patient.rs']],
    ['system/Patient.rs', 'system/*.rs', ['system/Patient.rs']],
    ['system/*.read', 'system/*.rs', ['system/*.read']],
    ['system/Patient.rs', 'system/Patient.r system/Patient.s', ['system/Patient.r', 'system/Patient.s']],
    ['patient/Observation.rs', LAB, [LAB]],
    ['patient/*.rs', LAB, [LAB]],
    [LAB, 'patient/Observation.rs', [LAB]],
    ['user/Observation.rs?category=a', 'user/Observation.rs?code=b%26c', ['user/Observation.rs?category=a&code=b%26c']],
    [
      'user/Condition.r?category=a user/Condition.r?category=b',
      'user/Condition.rs',
      ['user/Condition.r?category=a', 'user/Condition.r?category=b'],
    ],
    ['system/*.rs', 'user/Patient.rs', []],
    ['system/*.cruds', 'system/Subscription.cruds', ['system/Subscription.rs']],
    ['system/Subscription.cruds', 'system/Subscription.cr', ['system/Subscription.cr']],
    ['system/*.rs', 'system/AuditEvent.rs', []],
    ['system/AuditEvent.rs', 'system/AuditEvent.r', ['system/AuditEvent.r']],
    ['openid launch nix', 'launch nix', ['launch']],
  ])('%s and %s: %j', (a, b, both) => {
    expect(intersectScopes(a, b)).toEqual(both);
  });

  test('a type that FHIR has not is left out', () => {
    expect(intersectScopes('user/*.rs', 'user/Foo.rs user/Patient.rs', (name) => name === 'Patient')).toEqual([
      'user/Patient.rs',
    ]);
  });

  const TYPES = ['Observation', 'Patient', 'Subscription', 'AuditEvent'];
  const CODES = ['category=a', 'category=b', 'code=c%20d'];
  const one = fc
    .tuple(
      fc.constantFrom('patient', 'user', 'system'),
      fc.constantFrom('*', ...TYPES),
      fc.constantFrom('read', 'write', '*', 'r', 's', 'rs', 'cruds', 'cu'),
      fc.subarray(CODES),
    )
    .map(([level, type, letters, filter]) =>
      filter.length === 0 ? `${level}/${type}.${letters}` : `${level}/${type}.${letters}?${filter.join('&')}`,
    );
  const some = fc.array(one, { maxLength: 6 });
  /** Whether these scopes allow an act on a resource that matches these conditions. */
  const allows = (
    scopes: readonly string[],
    act: { level: string; type: string; letter: string; has: readonly string[] },
  ): boolean =>
    scopes
      .flatMap((text) => parseResourceScope(text) ?? [])
      .some(({ level, type, letters, filter }) => {
        const isReading = act.letter === 'r' || act.letter === 's';
        const isOfType = type === '*' ? act.type !== 'AuditEvent' && isReading : type === act.type;
        return (
          level === act.level &&
          isOfType &&
          (isReading || act.type === 'Subscription') &&
          letters.has(act.letter as 'r') &&
          filter.every(([name, value]) => act.has.includes(`${name}=${value.replace(' ', '%20')}`))
        );
      });
  const act = fc.record({
    level: fc.constantFrom('patient', 'user', 'system'),
    type: fc.constantFrom(...TYPES),
    letter: fc.constantFrom('c', 'r', 'u', 'd', 's'),
    has: fc.subarray(CODES),
  });

  test('an act is allowed by the outcome exactly where both allow it', () => {
    fc.assert(
      fc.property(some, some, act, (a, b, wanted) => {
        const both = intersectScopes(a.join(' '), b.join(' '));
        expect(both.every((text) => parseResourceScope(text) !== null)).toBe(true);
        expect(allows(both, wanted)).toBe(allows(a, wanted) && allows(b, wanted));
      }),
      { numRuns: 2_000 },
    );
  });
});
