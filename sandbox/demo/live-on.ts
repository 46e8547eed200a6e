import type { Clock } from '../../src/kernel/index.ts';
import type { DemoService } from '../index.ts';

const DAY_MS = 86_400_000;
/**
 * A simulated day of five people is about 0.7 MB in the demo EHR, which holds its charts in memory and lets nothing go.
 */
export const AHEAD_DAYS_MAX = 120;
const LOOK_MS = { min: 1_000, max: 60_000 } as const;

/**
 * From now on the people's time runs at that speed, until it is so far ahead of the clock that it goes on as fast as
 * the clock does.
 */
export function liveOn(clock: DemoService['clock'], real: Clock, speed: number): void {
  const leftMs = (): number => AHEAD_DAYS_MAX * DAY_MS - (clock.now().getTime() - real.now().getTime());
  const look = (): void => {
    const left = leftMs();
    if (left <= 0) clock.setSpeed(1);
    else setTimeout(look, Math.min(LOOK_MS.max, Math.max(LOOK_MS.min, clock.realMs(left)))).unref();
  };
  clock.setSpeed(speed);
  look();
}
