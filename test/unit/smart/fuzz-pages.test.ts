import { expect, test } from '@jest/globals';
import { howMany } from '../../support/how-much.ts';
import { fuzzPages } from '../../support/smart/fuzz-pages.ts';

/** `npm run test:fuzz-pages` plays a million. */
const PAGES = howMany(6_000, 60_000);

test('no page is answered otherwise because it was checked on its bytes', async () => {
  const { difference, passed } = await fuzzPages(Number(process.env['TEST_SEED'] ?? 1), PAGES);
  expect(difference).toBeNull();
  expect(passed).toBeGreaterThan(PAGES / 8);
});
