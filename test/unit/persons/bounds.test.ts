import { expect, test } from '@jest/globals';
import { factsOf, toPerson } from '../../../src/persons/index.ts';
import { readConditions } from '../../../src/smart/person-conditions.ts';
import { makeMemoryIndex } from '../../../src/persons/memory-index.ts';
import { readOrder } from '../../../src/persons/order-persons.ts';

const many = (count: number, of = 'n'): string => Array.from({ length: count }, (_, n) => `${of}${n}`).join(',');

test.each(['name', 'family:exact', '_id', 'identifier'])('50 alternatives of %s are looked for, and no more', (key) => {
  const [name = ''] = key.split(':');
  expect(readConditions([[key, many(50)]]).ok).toBe(true);
  expect(readConditions([[key, many(51)]])).toMatchObject({
    ok: false,
    fault: { code: 'read.person-parameter', at: name },
  });
  expect(
    readConditions([
      [key, many(30)],
      ['given', many(21)],
    ]),
  ).toMatchObject({ ok: false, fault: { at: 'given' } });
});

test('whoever looks for persons sees all of them, also where they are read anew meanwhile', async () => {
  const index = makeMemoryIndex();
  const put = (n: number): void => {
    const facts = factsOf({ resourceType: 'Patient', id: `p${n}`, name: [{ family: n % 2_999 === 0 ? 'Ahn' : 'Bo' }] });
    if (facts !== null) index.put({ mrnIndex: String(n), facts: [facts], version: 1 });
  };
  for (let n = 0; n < 3_000; n += 1) put(n);
  const [is, order] = [readConditions([['family', 'Ahn']]), readOrder(null)];
  if (!is.ok || order === null) throw new Error('no condition');
  const finding = index.find(is.value, order, null, 10);
  index.clear();
  put(0);
  expect((await finding).total).toBe(2);
  expect((await index.find(is.value, order, null, 10)).total).toBe(1);
});

test.each([
  ['2014-02-03', true],
  ['2014', true],
  ['ge2014-02-03T18:33:18-05:00', true],
  ['gt2014-02-05', false],
  ['lt2014-02-04', true],
  ['lt2013', false],
])('who died is found by death-date=%s: %j', (value, isFound) => {
  const facts = factsOf({ resourceType: 'Patient', id: '1', deceasedDateTime: '2014-02-03T18:33:18-05:00' });
  const alive = factsOf({ resourceType: 'Patient', id: '2', deceasedBoolean: false });
  if (facts === null || alive === null) throw new Error('no patient');
  const is = readConditions([['death-date', value]]);
  expect(is.ok && [is.value(toPerson(facts)), is.value(toPerson(alive))]).toEqual([isFound, false]);
});

test('a date of death that is none is refused', () => {
  expect(readConditions([['death-date', 'yesterday']]).ok).toBe(false);
});
