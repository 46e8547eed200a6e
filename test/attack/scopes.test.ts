import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AUDIT_SCOPES,
  GRANULAR_SCOPES,
  INCLUDES,
  INSUFFICIENT,
  JUDGED,
  LETTERS,
  UNLINKED_PATIENT,
  WIDER_LEVELS,
  WITHOUT_PATIENT,
} from './support/scope-attacks.ts';
import { nameOf } from './support/cross-patient.ts';
import { startAttacked, type Attacked } from './support/start-attacked.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

describe.each([
  ['a scope that is none, or for something else, allows nothing', INSUFFICIENT],
  ['each letter allows its own interactions', LETTERS],
  ['what is included needs its own scope', INCLUDES],
  ['a granular scope keeps other categories out', GRANULAR_SCOPES],
  ['without a patient in context there is nothing', WITHOUT_PATIENT],
  ['a patient without a link is read by nobody', UNLINKED_PATIENT],
  ['user/ and system/ reach linked patients, one by one', WIDER_LEVELS],
  ['a resource is judged for a scope that could read or search its type', JUDGED],
  ['the audit is for a scope that names it', AUDIT_SCOPES],
])('%s', (_, rows) => {
  test.each(rows.map((row) => [`"${String(row.claims?.['scope']).slice(0, 80)}": ${nameOf(row)}`, row] as const))(
    '%s',
    async (_name, row) => {
      expect((await attacked.attack(row)).wrong).toEqual([]);
    },
  );
});

test('what a scope forbids is never asked of the EHR', async () => {
  const from = attacked.ehr.heard.length;
  for (const row of INSUFFICIENT) await attacked.attack(row);
  expect(attacked.ehr.heard.slice(from).filter(({ url }) => url.includes('/Observation'))).toEqual([]);
});

test('who lacks a scope is told so, and the same whoever is asked about', async () => {
  const challengeOf = async (path: string): Promise<string | undefined> => {
    const row = {
      ...LETTERS[0],
      expected: 'forbidden',
      path: `/fhir/${path}`,
      claims: { scope: 'patient/Condition.rs' },
    } as const;
    const { answer } = await attacked.attack(row);
    return answer.headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1];
  };
  for (const id of ['idalpha-obs', 'idbravo-obs', 'idnobody-obs'])
    expect(await challengeOf(`Observation/${id}`)).toBe('Bearer error="insufficient_scope"');
  for (const id of ['idbravo-cond', 'idnobody-cond']) expect(await challengeOf(`Condition/${id}`)).toBeUndefined();
});
