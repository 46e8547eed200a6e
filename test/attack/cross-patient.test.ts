import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CROSS_PATIENT, nameOf, OWN } from './support/cross-patient.ts';
import { PATIENT_MARKERS, startAttacked, type Attacked } from './support/start-attacked.ts';
import { indistinct, twinOf } from './support/twin.ts';
import { strangeWords } from './support/oracle.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

describe('an app of alpha gets what is hers', () => {
  test.each(OWN.map((row) => [nameOf(row), row] as const))('%s', async (_, row) => {
    expect((await attacked.attack(row)).wrong).toEqual([]);
  });
});

describe.each(Object.entries(CROSS_PATIENT))('%s', (_group, rows) => {
  test.each(rows.map((row) => [nameOf(row), row] as const))('%s', async (_, row) => {
    const { answer, wrong } = await attacked.attack(row);
    expect(wrong).toEqual([]);
    const twin = row.path.includes('idmoved-won') ? null : twinOf(row);
    if (twin === null) return;
    expect(indistinct(answer)).toEqual(indistinct((await attacked.attack(twin)).answer));
  });
});

test('nobody followed an address to another host, and nothing of a patient is in the log', () => {
  expect(attacked.ehr.strayed()).toBe(0);
  expect(
    strangeWords({ status: 200, headers: [], body: attacked.logText() }, { path: '' }, [
      ...PATIENT_MARKERS,
      `:${attacked.ehr.port}/`,
    ]),
  ).toEqual([]);
});
