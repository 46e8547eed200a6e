import { afterEach } from '@jest/globals';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  while (stops.length > 0) await stops.pop()?.();
});

/** Whatever comes of the test, this is done after it, the last first: a test that fails leaves nothing running. */
export const stopAfterTest = (stop: () => unknown): void => void stops.push(stop);
