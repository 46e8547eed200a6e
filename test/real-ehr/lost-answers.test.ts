import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { showFigure } from './figures.ts';
import { document, HEIGHT, startStand, WEIGHT, without, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

describe.each(['before', 'after'] as const)('the connection is cut %s the EHR took the request', (cut) => {
  test('of a first write: everything stands once', async () => {
    const user = `first-${cut}`;
    const patient = await stand.enrol(user);
    const wasCut = stand.cutNextWrite(patient, cut);
    const first = await stand.send(document(user, 1));
    await wasCut;
    expect(await stand.resting(first)).toMatchObject({ state: 'delivered' });
    expect([(await stand.live(patient)).length, (await stand.chart(patient)).length]).toEqual([8, 8]);
    expect(await stand.check(user)).toEqual([]);
  });

  test('of an update: the new value stands, once', async () => {
    const user = `update-${cut}`;
    const patient = await stand.enrol(user);
    await stand.deliver(document(user, 1));
    const wasCut = stand.cutNextWrite(patient, cut);
    const second = await stand.send(document(user, 2, { values: { weight: 70.5 } }));
    await wasCut;
    expect(await stand.resting(second)).toMatchObject({ state: 'delivered' });
    expect([await stand.value(patient, WEIGHT), (await stand.chart(patient)).length]).toEqual([70.5, 8]);
    expect(await stand.check(user)).toEqual([]);
  });

  test('of an update, and a newer version comes before anybody knows what became of it', async () => {
    const user = `overtaken-${cut}`;
    const patient = await stand.enrol(user);
    await stand.deliver(document(user, 1));
    let third = '';
    const wasCut = stand.cutNextWrite(patient, cut, async () => {
      third = await stand.send(without(document(user, 3, { values: { weight: 69.75 } }), 'height'));
    });
    await stand.send(document(user, 2, { values: { weight: 70.5 } }));
    await wasCut;
    expect(await stand.resting(third)).toMatchObject({ state: 'delivered' });
    expect([await stand.value(patient, WEIGHT), await stand.value(patient, HEIGHT)]).toEqual([69.75, undefined]);
    expect(await stand.check(user)).toEqual([]);
  });

  test('of each of three tries: the fourth brings it to rest', async () => {
    const user = `thrice-${cut}`;
    const patient = await stand.enrol(user);
    const cuts = [1, 2, 3].map(() => stand.cutNextWrite(patient, cut));
    // What was written is not written again, so that only the first is sure to come.
    const first = await stand.send(document(user, 1));
    await cuts[0];
    expect(await stand.resting(first)).toMatchObject({ state: 'delivered' });
    expect([(await stand.live(patient)).length, (await stand.chart(patient)).length]).toEqual([8, 8]);
    expect(await stand.check(user)).toEqual([]);
    showFigure('up to 3 cuts');
  });
});
