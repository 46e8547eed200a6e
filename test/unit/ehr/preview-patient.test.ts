import { describe, expect, test } from '@jest/globals';
import { previewOf } from '../../../src/ehr/index.ts';

const of = (more: object) => previewOf({ resourceType: 'Patient', ...more }, false);

describe('what is shown of a patient before a link is made', () => {
  test('is the name of today, birth date and gender', () => {
    expect(
      of({
        name: [
          { use: 'old', text: 'Old Name' },
          { use: 'usual', family: 'Usual', given: ['Ann'] },
          { use: 'official', family: 'Official', given: ['Ann', 'B.'] },
        ],
        birthDate: '1970-01-02',
        gender: 'female',
        address: [{ city: 'Elsewhere' }],
      }),
    ).toEqual({
      name: 'Ann B. Official',
      birthDate: '1970-01-02',
      gender: 'female',
      isDeceased: false,
      isMerged: false,
    });
  });

  test.each([
    [[{ use: 'usual', text: 'Usual' }, { text: 'No use' }], 'Usual'],
    [[{ use: 'old', text: 'Old' }, { text: 'No use' }], 'No use'],
    [[{ use: 'old', text: 'Old' }], 'Old'],
    [[{ text: ' Blank\u0000s\u202e ' }], 'Blanks'],
    [[{ text: 'x'.repeat(300) }], 'x'.repeat(200)],
    [[{ given: ['', 7, 'Ann'], family: null }], 'Ann'],
    [[{}], null],
    [[], null],
    ['Ann', null],
    [[null, 'Ann'], null],
  ])('of the names %j it is %j', (name, shown) => {
    expect(of({ name }).name).toBe(shown);
  });

  test('says of the dead that they are', () => {
    expect([
      of({ deceasedBoolean: false }),
      of({ deceasedBoolean: true }),
      of({ deceasedDateTime: '2020' }),
    ]).toMatchObject([{ isDeceased: false }, { isDeceased: true }, { isDeceased: true }]);
    expect(of({ birthDate: 7, gender: {} })).toMatchObject({ birthDate: null, gender: null });
  });
});
