import { describe, test } from '@jest/globals';
import { CHROMIUM } from './chromium.ts';

export { startBrowser } from './chromium.ts';

/**
 * Tests that need a browser. Where there is none they fail, since a check that was not made must not look like one that
 * was passed; whoever means to do without says TEST_WITHOUT_BROWSER=yes, and they are shown as skipped.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROMIUM !== undefined) describe(name, tests);
  else if (process.env['TEST_WITHOUT_BROWSER'] === 'yes') describe.skip(name, tests);
  else
    test(name, () => {
      throw new Error(
        'There is no Chromium at /usr/bin. Install it, or say TEST_WITHOUT_BROWSER=yes to do without these tests.',
      );
    });
}
