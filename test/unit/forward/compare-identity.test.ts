import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareIdentity } from '../../../src/forward/compare-identity.ts';
import type { IdentityClaims } from '../../../src/translate/index.ts';

const ANNA: IdentityClaims = {
  birthDate: '1980-05-17',
  gender: 'female',
  names: [{ family: 'Núñez-Ortiz', given: ['Ana', 'María'] }],
};
const like = (more: Partial<IdentityClaims>): IdentityClaims => ({ ...ANNA, ...more });

describe('whose result it is', () => {
  test.each<[string, Partial<IdentityClaims>, string]>([
    ['the same', {}, 'same'],
    ['without marks and hyphens, and with an initial', { names: [{ family: 'NUNEZ ORTIZ', given: ['A'] }] }, 'same'],
    ['by a family name alone', { names: [{ family: 'Nunez Ortiz', given: [] }] }, 'same'],
    ['a year of birth that fits', { birthDate: '1980' }, 'same'],
    ['a sex that nobody knows', { gender: 'unknown' }, 'same'],
    ['by a name alone', { birthDate: null, gender: null }, 'same'],
    ['by a sex alone', { birthDate: null, names: [] }, 'same'],
    ['by a birth date alone', { gender: null, names: [] }, 'same'],
    [
      'a given name where the chart has the same, and no family name',
      { names: [{ family: null, given: ['Ana'] }] },
      'same',
    ],
    ['another given name, and no family name', { names: [{ family: null, given: ['Bob'] }] }, 'differs'],
    ['another complete birth date', { birthDate: '1980-05-18' }, 'other-person'],
    ['another year of birth', { birthDate: '1981' }, 'differs'],
    ['another name', { names: [{ family: 'Ortiz', given: ['Ana'] }] }, 'differs'],
    ['another sex', { gender: 'male' }, 'differs'],
    ['another name and sex', { gender: 'male', names: [{ family: 'Smith', given: ['John'] }] }, 'other-person'],
    ['another name and year', { birthDate: '1979', names: [{ family: 'Smith', given: ['Ana'] }] }, 'other-person'],
    ['nothing at all', { birthDate: null, gender: null, names: [] }, 'nothing-to-compare'],
  ])('%s', (_, said, kind) => {
    expect(compareIdentity(like(said), ANNA).kind).toBe(kind);
  });

  test('a family name on one side and a given name on the other are no name in common', () => {
    const named = (family: string | null, ...given: string[]) => like({ names: [{ family, given }] });
    expect(compareIdentity(named('Smith'), named(null, 'Ana')).kind).toBe('differs');
    expect(compareIdentity(named(null, 'Ana'), named('Smith')).kind).toBe('differs');
  });

  test('does not depend on which of the two says it', () => {
    const claims = fc.record({
      birthDate: fc.constantFrom(null, '1980', '1980-05', '1980-05-17', '1981-01-01'),
      gender: fc.constantFrom(null, 'male', 'female', 'other'),
      names: fc.subarray([
        { family: 'Smith', given: ['Ana'] },
        { family: 'Smith', given: [] },
        { family: null, given: ['Ana'] },
        { family: 'Jones', given: ['Bob'] },
      ]),
    });
    fc.assert(fc.property(claims, claims, (a, b) => expect(compareIdentity(a, b)).toEqual(compareIdentity(b, a))));
  });
});
