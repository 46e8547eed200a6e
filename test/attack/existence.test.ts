import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAttacked, type AttackRow, type Attacked } from './support/start-attacked.ts';
import { indistinct, twinOf } from './support/twin.ts';
import { OWNED_TYPES, ownId, type Owner } from './support/world.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

/**
 * For every type and every way to touch one resource; the judge of the words is elsewhere, here only the difference
 * counts.
 */
const WAYS: readonly (readonly [string, (path: string) => AttackRow])[] = [
  ['read', (path) => ({ expected: 'harmless', path })],
  ['head', (path) => ({ expected: 'harmless', method: 'HEAD', path })],
  ['vread', (path) => ({ expected: 'harmless', path: `${path}/_history/1` })],
  ['history', (path) => ({ expected: 'harmless', path: `${path}/_history` })],
  ['conditional read', (path) => ({ expected: 'harmless', path, headers: [['If-None-Match', 'W/"1"']] })],
  ['delete', (path) => ({ expected: 'harmless', method: 'DELETE', path })],
];

const LEVELS: readonly (readonly [string, AttackRow['claims'], Owner])[] = [
  ["alpha's app about bravo", { scope: 'patient/*.rs', patient: 'idalpha' }, 'bravo'],
  ["alpha's app about one without a link", { scope: 'patient/*.rs', patient: 'idalpha' }, 'charl'],
  ["a clinician's app about one without a link", { scope: 'user/*.rs', patient: undefined }, 'charl'],
  ['a backend about one without a link', { scope: 'system/*.rs', patient: undefined, fhirUser: undefined }, 'charl'],
];

describe.each(LEVELS)('%s', (_level, claims, owner) => {
  describe.each(OWNED_TYPES)('%s', (type) => {
    test.each(WAYS)('%s: not yours is as not there', async (_way, rowOf) => {
      const row = { ...rowOf(`/fhir/${type}/${ownId(type, owner)}`), ...(claims === undefined ? {} : { claims }) };
      const twin = twinOf(row);
      if (twin === null) throw new Error('no twin');
      expect(indistinct((await attacked.attack(row)).answer)).toEqual(indistinct((await attacked.attack(twin)).answer));
    });
  });
});
