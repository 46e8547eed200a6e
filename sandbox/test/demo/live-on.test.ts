import { expect, test } from '@jest/globals';
import { AHEAD_DAYS_MAX, liveOn } from '../../demo/live-on.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { startService } from '../../index.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { stopAfterTest } from '../../../test/support/stop-after-test.ts';

const DAY_MS = 86_400_000;

test('the time of the people runs ahead only so far, also at another start: charts do not grow for ever', async () => {
  const { clock, stop } = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
  stopAfterTest(stop);
  liveOn(clock, systemClock, 240);
  expect(clock.speed()).toBe(240);
  clock.advance((AHEAD_DAYS_MAX - 0.01) * DAY_MS);
  liveOn(clock, systemClock, 1_000);
  await eventually(
    () => clock.speed(),
    (speed) => speed === 1,
  );
  liveOn(clock, systemClock, 240);
  expect(clock.speed()).toBe(1);
});
