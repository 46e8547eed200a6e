import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { partAt } from '../support/payloads/index.ts';
import { showFigure } from './figures.ts';
import { document, HEIGHT, startStand, WEIGHT, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

test('a newer version changes what it says otherwise, and nothing else', async () => {
  const user = 'newer';
  const patient = await stand.enrol(user);
  expect(await stand.deliver(document(user, 1))).toMatchObject({ state: 'delivered' });
  const versions = new Map((await stand.chart(patient)).map((one) => [one.id, partAt(one, 'meta.versionId')]));
  expect(versions.size).toBe(8);
  expect(await stand.deliver(document(user, 2, { values: { weight: 70.5 } }))).toMatchObject({ state: 'delivered' });
  const after = await stand.chart(patient);
  expect(after.filter((one) => versions.get(one.id) !== partAt(one, 'meta.versionId'))).toHaveLength(1);
  expect([after.length, await stand.value(patient, WEIGHT)]).toEqual([8, 70.5]);
  expect(await stand.check(user)).toEqual([]);
  showFigure('8 Observations, 1 changed');
});

test('a version that comes after a newer one is superseded, and changes nothing', async () => {
  const user = 'late';
  const patient = await stand.enrol(user);
  const values = (weight: number) => ({ values: { weight } });
  expect(await stand.deliver(document(user, 3, values(73)))).toMatchObject({ state: 'delivered' });
  expect(await stand.deliver(document(user, 2, values(72)))).toMatchObject({ state: 'superseded' });
  expect(await stand.deliver(document(user, 1, values(71)))).toMatchObject({ state: 'superseded' });
  expect(await stand.value(patient, WEIGHT)).toBe(73);
  expect(await stand.check(user)).toEqual([]);
});

test('of versions that come all at once and in any order the newest stands', async () => {
  const user = 'at-once';
  const patient = await stand.enrol(user);
  const order = [2, 1, 5, 3, 6, 4];
  const ids = await Promise.all(
    order.map((version) =>
      stand.send(document(user, version, { values: { weight: 70 + version, height: 170 + version } })),
    ),
  );
  const ends = await Promise.all(ids.map((id) => stand.resting(id)));
  expect(ends[order.indexOf(6)]).toMatchObject({ state: 'delivered' });
  expect([await stand.value(patient, WEIGHT), await stand.value(patient, HEIGHT)]).toEqual([76, 176]);
  expect(await stand.check(user)).toEqual([]);
  showFigure(`${order.length} versions`);
});

test.each(['before', 'after'] as const)(
  'a value that stood two versions ago is written again, also when the connection was cut %s the EHR took it',
  async (cut) => {
    const user = `back-${cut}`;
    const patient = await stand.enrol(user);
    await stand.deliver(document(user, 1, { values: { weight: 71.25 } }));
    await stand.deliver(document(user, 2, { values: { weight: 70.5 } }));
    const wasCut = stand.cutNextWrite(patient, cut);
    const third = await stand.send(document(user, 3, { values: { weight: 71.25 } }));
    await wasCut;
    expect(await stand.resting(third)).toMatchObject({ state: 'delivered' });
    expect(await stand.value(patient, WEIGHT)).toBe(71.25);
    expect(await stand.check(user)).toEqual([]);
    showFigure('71.25, 70.5, 71.25');
  },
);
