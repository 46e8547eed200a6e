import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/payloads/index.ts';
import { showFigure } from './figures.ts';
import { document, startStand, WEIGHT, without, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

test.each(['before', 'after'] as const)(
  'a gateway that is killed at the moment right %s the EHR took a write finds out at its next start, and nothing is lost or doubled',
  async (cut) => {
    const user = `killed-${cut}`;
    const patient = await stand.enrol(user);
    await stand.deliver(document(user, 1));
    const wasCut = stand.cutNextWrite(patient, cut, () => stand.kill());
    const second = await stand.send(document(user, 2, { values: { weight: 70.5 } }));
    await wasCut;
    await stand.restart();
    expect(await stand.resting(second)).toMatchObject({ state: 'delivered' });
    expect([await stand.value(patient, WEIGHT), (await stand.chart(patient)).length]).toEqual([70.5, 8]);
    expect(await stand.check(user)).toEqual([]);
  },
);

test('a gateway that is killed again and again in the middle of deliveries loses nothing and doubles nothing', async () => {
  const KILLS = 4;
  const users = Array.from({ length: 6 }, (_one, i) => `storm-${i}`);
  for (const user of users) await stand.enrol(user);
  const ids: string[] = [];
  const unsent: Json[] = [];
  const send = async (payload: Json): Promise<void> => {
    try {
      ids.push(await stand.send(payload));
    } catch {
      // The source sends again what was not acknowledged.
      unsent.push(payload);
    }
  };
  let version = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = stand.front?.passed().length ?? 0;
    for (let round = 0; round < 2; round += 1) {
      version += 1;
      const values = { weight: 70 + version / 4, height: 170 + version };
      await Promise.all(
        users.map((user, i) => {
          const whole = document(user, version, { values });
          return send((i + version) % 3 === 0 ? without(whole, 'bmi') : whole);
        }),
      );
    }
    // In the middle: some of it is on its way, and each time at another moment.
    await eventually(
      () => stand.front?.passed().length ?? 0,
      (passed) => passed >= before + 3 + kill,
    );
    await pause(kill * 40);
    await stand.kill();
    await stand.restart();
    for (const payload of unsent.splice(0)) await send(payload);
  }
  expect(unsent).toEqual([]);
  for (const id of ids) await stand.resting(id);
  expect(await stand.check(...users)).toEqual([]);
  const { addsUp, acknowledged } = await stand.ledger();
  // Twice two for the tests above; an acknowledgement that a kill swallowed is in the ledger all the same.
  expect([addsUp, Number(acknowledged) >= ids.length + 4]).toEqual([true, true]);
  showFigure(`${KILLS} kills, ${ids.length} deliveries of ${users.length} people`);
});
