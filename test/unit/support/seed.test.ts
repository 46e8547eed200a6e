import { expect, test } from '@jest/globals';
import fc from 'fast-check';

test('every property draws from the seed of the run, and says it when it fails', () => {
  const seed = Number(process.env['TEST_SEED']);
  expect(fc.readConfigureGlobal()).toMatchObject({ seed });
  expect(() => fc.assert(fc.property(fc.nat(), () => false))).toThrow(`seed: ${seed}`);
});
