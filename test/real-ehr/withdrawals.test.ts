import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { showFigure } from './figures.ts';
import { codesOf, document, HEIGHT, isTakenBack, startStand, without, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

/** How many of the height stand in the chart, and how many were taken back; by status. */
async function heights(patient: string): Promise<{ stand: number; all: number }> {
  const found = (await stand.chart(patient)).filter((one) => codesOf(one).includes(HEIGHT));
  return { stand: found.filter((one) => !isTakenBack(one)).length, all: found.length };
}

/** Version by version: is the height in it? What the charts say of it after each. */
async function play(user: string, patient: string, versions: readonly ('with' | 'without')[]): Promise<number[]> {
  const standing: number[] = [];
  for (const [i, kind] of versions.entries()) {
    const whole = document(user, i + 1, { values: { weight: 70 + i } });
    expect(await stand.deliver(kind === 'with' ? whole : without(whole, 'height'))).toMatchObject({
      state: 'delivered',
    });
    standing.push((await heights(patient)).stand);
  }
  return standing;
}

test('a measurement that is dropped, said again and dropped again is withdrawn each time', async () => {
  const user = 'dropped';
  const patient = await stand.enrol(user);
  expect(await play(user, patient, ['with', 'without', 'with', 'without'])).toEqual([1, 0, 1, 0]);
  expect(await stand.live(patient)).toHaveLength(7);
  expect(await stand.check(user)).toEqual([]);
  showFigure('4 versions');
});

test('and stands again when it is said once more', async () => {
  const user = 'again';
  const patient = await stand.enrol(user);
  expect(await play(user, patient, ['with', 'without', 'with', 'without', 'with'])).toEqual([1, 0, 1, 0, 1]);
  expect(await stand.check(user)).toEqual([]);
  showFigure('5 versions');
});

test.each([
  ['dropped, said again and dropped again', ['with', 'without', 'with', 'without'], 7],
  ['dropped and said again', ['with', 'without', 'with'], 8],
] as const)(
  'after something was %s, a re-link leaves nothing standing in the old chart',
  async (_history, versions, count) => {
    const user = `moved-${count}`;
    const wrong = await stand.enrol(user);
    await play(user, wrong, versions);
    const right = await stand.enrol(user);
    await eventually(
      () => stand.live(right),
      (all) => all.length === count,
      60_000,
    );
    expect([(await stand.live(wrong)).map(codesOf), (await stand.live(right)).length]).toEqual([[], count]);
    expect(await stand.check(user)).toEqual([]);
    showFigure(`${count} Observations moved`);
  },
);

test.each(['before', 'after'] as const)(
  'a withdrawal whose connection was cut %s the EHR took it is carried out once',
  async (cut) => {
    const user = `cut-${cut}`;
    const patient = await stand.enrol(user);
    await stand.deliver(document(user, 1));
    const wasCut = stand.cutNextWrite(patient, cut);
    const second = await stand.send(without(document(user, 2), 'height'));
    await wasCut;
    expect(await stand.resting(second)).toMatchObject({ state: 'delivered' });
    expect([await heights(patient), (await stand.live(patient)).length]).toEqual([{ stand: 0, all: 1 }, 7]);
    expect(await stand.check(user)).toEqual([]);
  },
);
