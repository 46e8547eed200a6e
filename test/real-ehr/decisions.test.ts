import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { Shown } from '../flow/delivery/rig.ts';
import type { Json } from '../support/payloads/index.ts';
import { codesOf, document, HEIGHT, isTakenBack, startStand, valueOf, WEIGHT, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

const KG = { unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' };
const NOTE = [{ text: 'Measured again by hand' }];

/** A document is written, a clinician changes the weight, and a newer version says both weight and height otherwise. */
async function inConflict(user: string): Promise<{ readonly patient: string; readonly parked: Shown }> {
  const patient = await stand.enrol(user);
  await stand.deliver(document(user, 1, { values: { weight: 71.25, height: 178 } }));
  await stand.edit(patient, WEIGHT, { valueQuantity: { value: 72.75, ...KG }, note: NOTE });
  const parked = await stand.deliver(document(user, 2, { values: { weight: 70.5, height: 179 } }));
  expect(parked).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(parked.conflicts).toHaveLength(1);
  return { patient, parked };
}
async function expectTheirs(patient: string): Promise<void> {
  const weight = await stand.measured(patient, WEIGHT);
  expect([valueOf(weight), weight?.['note']]).toEqual([72.75, NOTE]);
}

test('keep-theirs: what the clinician made of it stays, and the rest of the document is written', async () => {
  const { patient, parked } = await inConflict('keep');
  expect(await stand.decide(parked.id, 'keep-theirs')).toMatchObject({ state: 'delivered' });
  await expectTheirs(patient);
  expect(await stand.value(patient, HEIGHT)).toBe(179);
});

/** Theirs was kept; the next version has another weight again, and another height. */
async function afterKeeping(user: string): Promise<{ readonly patient: string; readonly next: Shown }> {
  const { patient, parked } = await inConflict(user);
  await stand.decide(parked.id, 'keep-theirs');
  return { patient, next: await stand.deliver(document(user, 3, { values: { weight: 69.75, height: 180 } })) };
}

test('after keep-theirs the next version waits for a person because of that one measurement, which stays as the clinician left it', async () => {
  const { patient, next } = await afterKeeping('keep-next');
  expect(next).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(next.conflicts).toEqual([expect.objectContaining({ resourceType: 'Observation' })]);
  await expectTheirs(patient);
});

test('after keep-theirs the rest of the next version is written', async () => {
  const { patient } = await afterKeeping('keep-rest');
  expect(
    await eventually(
      () => stand.value(patient, HEIGHT),
      (value) => value === 180,
      10_000,
    ),
  ).toBe(180);
  await expectTheirs(patient);
});

test('overwrite: ours is written over the version that was shown, and later versions flow again', async () => {
  const { patient, parked } = await inConflict('over');
  expect(await stand.decide(parked.id, 'overwrite')).toMatchObject({ state: 'delivered' });
  expect([await stand.value(patient, WEIGHT), await stand.value(patient, HEIGHT)]).toEqual([70.5, 179]);
  expect(await stand.deliver(document('over', 3, { values: { weight: 69.75, height: 179 } }))).toMatchObject({
    state: 'delivered',
  });
  expect(await stand.value(patient, WEIGHT)).toBe(69.75);
});

test('a decision is about the version that was shown: what was changed since waits again', async () => {
  const { patient, parked } = await inConflict('since');
  await stand.edit(patient, WEIGHT, { valueQuantity: { value: 73.5, ...KG } });
  expect(await stand.decide(parked.id, 'overwrite')).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(await stand.value(patient, WEIGHT)).toBe(73.5);
});

/** What was taken out of a chart: the weight and who says it no longer holds. */
async function withdrawnWeight(patient: string): Promise<Json | undefined> {
  const all = (await stand.chart(patient)).filter((one) => codesOf(one).includes(WEIGHT) && isTakenBack(one));
  expect(all).toHaveLength(1);
  return all[0];
}

/** To another chart and back to the first one; how the newest version comes to rest there. */
async function awayAndBack(user: string, newest: string, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const other = await stand.enrol(user);
  await meanwhile();
  await eventually(
    () => stand.value(other, WEIGHT),
    (value) => value !== undefined,
    60_000,
  );
  await stand.linkBack(user);
  return stand.until(newest, ({ state, reason }) => state === 'parked' && reason === 'conflict', 60_000);
}

test('what a clinician kept and was taken out of a wrong chart is asked about when the user comes back', async () => {
  const { patient, parked } = await inConflict('kept-away');
  await stand.decide(parked.id, 'keep-theirs');
  expect(await awayAndBack('kept-away', parked.id)).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(valueOf(await withdrawnWeight(patient))).toBe(72.75);
  expect(await stand.value(patient, HEIGHT)).toBe(179);
});

test('and what a clinician changed, though the answer to taking it out was lost', async () => {
  const user = 'changed-away';
  const patient = await stand.enrol(user);
  const first = await stand.deliver(document(user, 1, { observations: 1, values: { weight: 71.25 } }));
  await stand.edit(patient, WEIGHT, { valueQuantity: { value: 72.75, ...KG }, note: NOTE });
  const wasCut = stand.cutNextWrite(patient, 'after');
  expect(await awayAndBack(user, first.id, () => wasCut)).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(valueOf(await withdrawnWeight(patient))).toBe(72.75);
});
