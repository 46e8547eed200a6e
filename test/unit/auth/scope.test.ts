import { describe, expect, test } from '@jest/globals';
import { parseResourceScope, splitScopes } from '../../../src/auth/scope.ts';

/** Level, type, letters and filter in one text; null where it is no resource scope. */
const told = (text: string): string | null => {
  const scope = parseResourceScope(text);
  if (scope === null) return null;
  const filter = scope.filter.map(([name, value]) => ` ${name}=${value}`).join('');
  return `${scope.level} ${scope.type} ${[...scope.letters].join('')}${filter}`;
};

describe('a resource scope', () => {
  test.each([
    ['patient/Observation.rs', 'patient Observation rs'],
    ['user/*.cruds', 'user * cruds'],
    ['system/Patient.s', 'system Patient s'],
    ['patient/Observation.read', 'patient Observation rs'],
    ['patient/Observation.write', 'patient Observation cud'],
    ['patient/*.*', 'patient * cruds'],
    ['patient/Observation.rs?category=a', 'patient Observation rs category=a'],
    ['patient/Observation.rs?category=a%7Cb&code=c', 'patient Observation rs category=a|b code=c'],
  ])('%s is read as %s, and keeps its text', (text, expected) => {
    expect([told(text), parseResourceScope(text)?.text]).toEqual([expected, text]);
  });

  test.each([
    ['no letters', 'patient/Observation.'],
    ['letters out of order', 'patient/Observation.sr'],
    ['another level', 'group/Observation.rs'],
    ['no type', 'patient/.rs'],
    ['a type in small letters', 'patient/observation.rs'],
    ['something before it', 'x patient/Observation.rs'],
    ['a filter of nothing', 'patient/Observation.rs?'],
    ['a filter without a value', 'patient/Observation.rs?category='],
    ['a filter without a name', 'patient/Observation.rs?=a'],
    ['a second filter without a value', 'patient/Observation.rs?category=a&code'],
    ['a filter that cannot be decoded', 'patient/Observation.rs?category=%'],
    ['a filter by a modifier', 'patient/Observation.rs?code:in=a'],
    ['a filter by a parameter of the server’s own', 'patient/Observation.rs?_id=a'],
    ['a filter on all types', 'patient/*.rs?category=a'],
    ['a filter in the first form', 'patient/Observation.read?category=a'],
    ['a word', 'openid'],
    ['nothing', ''],
  ])('is not read from %s', (_what, text) => {
    expect(parseResourceScope(text)).toBeNull();
  });
});

test('the words of a scope come once each, in their order, however many blanks are between them', () => {
  expect(splitScopes(' openid  patient/*.rs openid launch ')).toEqual(['openid', 'patient/*.rs', 'launch']);
  expect(splitScopes('')).toEqual([]);
});
