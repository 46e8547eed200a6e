import { describe, expect, test } from '@jest/globals';
import { makeFindLine } from '../../../src/mappings/index.ts';

const MAP = `{
  "resourceType": "ConceptMap",
  "group": [
    {
      "element": [
        {
          "code": "weight",
          "target": [
            { "code": "29463-7", "dependsOn": [{ "property": "context", "value": "point" }] },
            { "code": "3141-9", "dependsOn": [{ "property": "context", "value": "mean" }] }
          ]
        },
        { "code": "kg/m2", "target": [] }
      ]
    }
  ],
  "rows": [
    { "name": "a \\"quoted\\" name, with {brackets}: []" },
    { "name": "time" }
  ]
}`;
const find = makeFindLine(MAP);

describe('the line of a problem', () => {
  test.each([
    ['weight', 'says no source', 7],
    ['weight/point', 'says no source', 9],
    ['weight/mean', 'is there twice', 10],
    ['weight/other', 'is there twice', 7],
    ['kg/m2', 'is there twice', 13],
    ['rows[1]', 'code is missing', 19],
    ['time', 'a unit is there twice', 19],
    ['nothing/of/it', 'is there twice', null],
  ])('of the row %s: %s', (key, text, line) => {
    expect(find(key, text)).toBe(line);
  });

  test('is what the problem says itself, or where its path leads', () => {
    expect(find(null, 'Unexpected character "x" (line 4, column 2)')).toBe(4);
    expect(find(null, 'ConceptMap.group[0].element[0].target[1].equivalence is missing')).toBe(10);
    expect(find(null, 'is missing')).toBeNull();
  });

  test('of what is not JSON is found as far as it goes', () => {
    expect(makeFindLine('{ "a": [ }]')('a', 'x')).toBe(1);
    expect(makeFindLine('')('a', 'x')).toBeNull();
  });
});
