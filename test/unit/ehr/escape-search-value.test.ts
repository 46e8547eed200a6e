import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeSearchValue, identifierToken } from '../../../src/ehr/escape-search-value.ts';
import { splitEscaped, unescape } from '../../../sandbox/ehr/values.ts';

test.each([
  ['0001', '0001'],
  ['a,b', 'a\\,b'],
  ['a|b', 'a\\|b'],
  ['a$b', 'a\\$b'],
  ['a\\b', 'a\\\\b'],
  ['\\,|$', '\\\\\\,\\|\\$'],
])('%s is searched for as %s', (value, escaped) => {
  expect(escapeSearchValue(value)).toBe(escaped);
});

test('a server that reads by the standard gets exactly the identifier back, whatever is in it', () => {
  const part = fc.string().filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(part, part, (system, value) => {
      const values = splitEscaped(identifierToken(system, value), ',');
      expect(values).toHaveLength(1);
      expect(splitEscaped(values[0] ?? '', '|').map(unescape)).toEqual([system, value]);
    }),
  );
});

test.each([
  ['', '1'],
  ['urn:x', ''],
  [' ', '1'],
  ['urn:x', '\t'],
])('system %j with value %j is never searched for', (system, value) => {
  expect(() => identifierToken(system, value)).toThrow('cannot be searched for');
});
