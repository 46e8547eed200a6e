import { expect, test } from '@jest/globals';
import { readAllowed } from '../../../src/source/read-answers.ts';

test('the names that a refusal lists are read, however it calls the field', () => {
  expect(
    readAllowed({ error: 'Bad Request', exception: 'data_source must be one of Ring, Gps_Watch, or Strap' }, 'u'),
  ).toEqual(['Ring', 'Gps_Watch', 'Strap']);
  expect(readAllowed({ message: 'one of: Ring, Strap' }, 'u')).toEqual(['Ring', 'Strap']);
});

test.each([
  ['a text without a list', { exception: 'data_source is wrong' }],
  ['one name alone', { exception: 'must be one of Ring' }],
  ['no object', 'must be one of Ring, Strap'],
  ['nothing', null],
])('%s lists none', (_what, value) => {
  expect(readAllowed(value, 'u')).toBeNull();
});

test('the user is never among them', () => {
  expect(readAllowed({ exception: 'one of Ring, user-7' }, 'user-7')).toEqual(['Ring']);
});
