import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { partAt, type Json } from '../support/payloads/index.ts';
import { document, startStand, WEIGHT, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.stop());

const NOTE = [{ text: 'Measured again by hand' }];
const EDITS: readonly (readonly [string, Json])[] = [
  [
    'the value',
    {
      status: 'corrected',
      valueQuantity: { value: 72.75, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    },
  ],
  ['a note alone', { note: NOTE }],
];

const weighing = (user: string, version: number, weight: number): Json =>
  document(user, version, { values: { weight } });

/** Its version and everything that a person can read; servers order and shorten the rest of `meta` as they like. */
const words = (resource: Json | undefined): Json => ({ ...resource, meta: partAt(resource, 'meta.versionId') });

/** What a newer version comes to, and that the clinician's words stand to the letter. */
async function expectToStand(user: string, patient: string, edited: Json | undefined, newer: Json): Promise<void> {
  expect(await stand.deliver(newer)).toMatchObject({ state: 'parked', reason: 'conflict' });
  expect(words(await stand.measured(patient, WEIGHT))).toEqual(words(edited));
  expect(await stand.check(user)).toEqual([]);
}

describe.each(EDITS)('a clinician changes %s at the EHR', (what, change) => {
  const name = (form: string): string => `${form}-${what.replaceAll(' ', '-')}`;

  test('between two versions: the newer one waits for a person, and the change stands', async () => {
    const user = name('between');
    const patient = await stand.enrol(user);
    await stand.deliver(weighing(user, 1, 71.25));
    const edited = await stand.edit(patient, WEIGHT, change);
    await expectToStand(user, patient, edited, weighing(user, 2, 70.5));
  });

  test('while the answer to the first write is lost: the next version waits for a person, and the change stands', async () => {
    const user = name('first');
    const patient = await stand.enrol(user);
    let edited: Json | undefined;
    const wasCut = stand.cutNextWrite(
      patient,
      'after',
      async () => (edited = await stand.edit(patient, WEIGHT, change)),
    );
    const first = await stand.send(weighing(user, 1, 71.25));
    await wasCut;
    await stand.resting(first);
    await expectToStand(user, patient, edited, weighing(user, 2, 70.5));
  });

  test('while the answer to an update is lost: the next version waits for a person, and the change stands', async () => {
    const user = name('after');
    const patient = await stand.enrol(user);
    await stand.deliver(weighing(user, 1, 71.25));
    let edited: Json | undefined;
    const wasCut = stand.cutNextWrite(
      patient,
      'after',
      async () => (edited = await stand.edit(patient, WEIGHT, change)),
    );
    const second = await stand.send(weighing(user, 2, 70.5));
    await wasCut;
    await stand.resting(second);
    expect(words(await stand.measured(patient, WEIGHT))).toEqual(words(edited));
    await expectToStand(user, patient, edited, weighing(user, 3, 69.75));
  });

  test('while an update is lost on its way: it waits for a person, as does the next version, and the change stands', async () => {
    const user = name('before');
    const patient = await stand.enrol(user);
    await stand.deliver(weighing(user, 1, 71.25));
    let edited: Json | undefined;
    const wasCut = stand.cutNextWrite(
      patient,
      'before',
      async () => (edited = await stand.edit(patient, WEIGHT, change)),
    );
    const second = await stand.send(weighing(user, 2, 70.5));
    await wasCut;
    expect(await stand.resting(second)).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(words(await stand.measured(patient, WEIGHT))).toEqual(words(edited));
    await expectToStand(user, patient, edited, weighing(user, 3, 69.75));
  });

  test.each(['before', 'after'] as const)(
    'while a write was cut %s the EHR took it, and a newer version comes before anybody knows: it waits for a person, and the change stands',
    async (cut) => {
      const user = name(`overtaken-${cut}`);
      const patient = await stand.enrol(user);
      await stand.deliver(weighing(user, 1, 71.25));
      let edited: Json | undefined;
      let third = '';
      const wasCut = stand.cutNextWrite(patient, cut, async () => {
        edited = await stand.edit(patient, WEIGHT, change);
        third = await stand.send(weighing(user, 3, 69.75));
      });
      await stand.send(weighing(user, 2, 70.5));
      await wasCut;
      expect(await stand.resting(third)).toMatchObject({ state: 'parked', reason: 'conflict' });
      expect(words(await stand.measured(patient, WEIGHT))).toEqual(words(edited));
      expect(await stand.check(user)).toEqual([]);
    },
  );
});
