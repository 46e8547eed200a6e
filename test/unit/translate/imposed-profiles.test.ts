import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ImposedProfile } from '../../../src/mappings/index.ts';
import { imposedProfiles } from '../../../src/translate/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { aClinicalReady, aLabResult, type Json } from '../../support/payloads/index.ts';
import { everything } from '../../support/translated.ts';
import { settingOf, translateText } from '../../support/translate-steps.ts';

const row = (more: Partial<ImposedProfile> & Pick<ImposedProfile, 'profile'>): ImposedProfile => ({
  type: 'Observation',
  category: null,
  code: null,
  claim: 'leave',
  ...more,
});
const ROWS = [
  row({ profile: 'urn:any' }),
  row({ profile: 'urn:vital', category: 'vital-signs' }),
  row({ profile: 'urn:pressure', code: '85354-9' }),
  row({ profile: 'urn:pressure-too', code: '85354-9' }),
  row({ profile: 'urn:report', type: 'DiagnosticReport' }),
];
const concept = (...codes: readonly string[]) => ({ coding: codes.map((code) => ({ system: 'urn:s', code })) });
const observation = (categories: readonly string[], codes: readonly string[]) => ({
  resourceType: 'Observation',
  category: categories.map((code) => concept('other', code)),
  code: concept(...codes),
});

describe('the profiles that a dialect asks for', () => {
  test.each([
    ['of a type alone', observation(['activity'], ['1-8']), ['urn:any']],
    ['of a category, before those of its type', observation(['vital-signs'], ['1-8']), ['urn:vital']],
    [
      'of a code, before those of its category, and all of them',
      observation(['vital-signs'], ['1-8', '85354-9']),
      ['urn:pressure', 'urn:pressure-too'],
    ],
    ['of another type', { resourceType: 'DiagnosticReport', code: concept('85354-9') }, ['urn:report']],
    ['of nothing', { resourceType: 'Device' }, []],
    ['of a category that is one concept', { ...observation([], []), category: concept('vital-signs') }, ['urn:vital']],
    ['of what has no codes', { resourceType: 'Observation', category: 'vital-signs', code: null }, ['urn:any']],
  ])('are those %s', (_what, resource, expected) => {
    expect(imposedProfiles({ profiles: ROWS }, resource)).toEqual(expected);
  });

  test('are not asked for where the dialect names none', () => {
    expect(imposedProfiles({ profiles: [] }, observation(['vital-signs'], ['85354-9']))).toEqual([]);
  });
});

const WORDS = ['a', 'b', 'c'];
const TYPES = ['Observation', 'Condition'];
const codeOrNone = fc.constantFrom(null, ...WORDS);
const rows = fc.array(
  fc.record({
    type: fc.constantFrom(...TYPES),
    category: codeOrNone,
    code: codeOrNone,
    profile: fc.constantFrom('urn:1', 'urn:2', 'urn:3'),
    claim: fc.constantFrom('write' as const, 'leave' as const),
  }),
  { maxLength: 8 },
);
const resources = fc
  .tuple(fc.constantFrom(...TYPES), fc.subarray(WORDS), fc.subarray(WORDS))
  .map(([resourceType, categories, codes]) => ({ ...observation(categories, codes), resourceType }));

describe('whatever rows there are', () => {
  test('a profile is asked for by a row that fits, and no row that fits says more', () => {
    fc.assert(
      fc.property(rows, resources, (profiles, resource) => {
        const isFitting = ({ type, category, code }: ImposedProfile): boolean =>
          type === resource.resourceType &&
          (category === null || JSON.stringify(resource.category).includes(`"code":"${category}"`)) &&
          (code === null || JSON.stringify(resource.code).includes(`"code":"${code}"`));
        const rank = ({ code, category }: ImposedProfile): string =>
          `${code === null ? 0 : 1}${category === null ? 0 : 1}`;
        const fitting = profiles.filter(isFitting);
        const most = fitting.map(rank).sort().at(-1);
        const expected = new Set(fitting.filter((one) => rank(one) === most).map(({ profile }) => profile));
        const imposed = imposedProfiles({ profiles }, resource);
        expect(new Set(imposed)).toEqual(expected);
        expect(imposed).toHaveLength(expected.size);
      }),
    );
  });

  test('their order does not matter', () => {
    fc.assert(
      fc.property(rows, resources, (profiles, resource) => {
        const turned = imposedProfiles({ profiles: [...profiles].reverse() }, resource);
        expect(turned.toSorted()).toEqual(imposedProfiles({ profiles }, resource).toSorted());
      }),
    );
  });
});

describe('meta.profile', () => {
  const setting = settingOf(standardMappings());
  const profilesIn = (payload: Json, profiles: readonly ImposedProfile[]) =>
    everything(translateText(JSON.stringify(payload), { ...setting, dialect: { ...setting.dialect, profiles } })).map(
      ({ resource }) => {
        const { profile } = (resource['meta'] ?? {}) as { profile?: unknown };
        return [resource.resourceType, profile] as const;
      },
    );

  test('names the profile once where the dialect wants it, beside what stands there', () => {
    const claimed = profilesIn(aClinicalReady({ observations: 2 }), [
      row({ profile: 'urn:any', claim: 'write' }),
      row({ profile: 'urn:any-too', claim: 'leave' }),
      row({ profile: 'urn:patient', type: 'Patient', claim: 'write' }),
      row({ profile: 'urn:provenance', type: 'Provenance', claim: 'write' }),
    ]);
    expect(claimed).toEqual([
      ['Patient', ['urn:patient']],
      ['Observation', ['urn:any']],
      ['Observation', ['urn:any']],
      ['Provenance', ['urn:provenance']],
    ]);
  });

  test('is left alone elsewhere, and the bytes are the same as without such rows', () => {
    const payload = JSON.stringify(aLabResult());
    const leaving = { ...setting.dialect, profiles: [row({ profile: 'urn:any' })] };
    expect(JSON.stringify(translateText(payload, { ...setting, dialect: leaving }))).toBe(
      JSON.stringify(translateText(payload, setting)),
    );
  });
});
