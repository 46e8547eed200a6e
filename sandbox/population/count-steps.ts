import { makeChance } from './chance.ts';
import type { HourlySteps } from './readings.ts';
import type { DayBounds } from './zones.ts';

/** How much of a day is walked in each hour of it. */
const SHARES = [0, 0, 0, 0, 0, 1, 4, 8, 9, 5, 4, 5, 8, 6, 4, 4, 6, 9, 9, 6, 5, 4, 2, 1] as const;
const TOTAL = SHARES.reduce((sum: number, share) => sum + share, 0);
const HOUR_MS = 3_600_000;
/**
 * Each person in a minute of their own, so that not everybody is asked at once; never so late that the last answer is
 * of the next day.
 */
export const askedAtMs = (n: number): number => (1 + ((n * 23) % 58)) * 60_000;

/**
 * What a provider answers every hour: the steps since midnight. Now and then it says zero, nothing, less than before,
 * or cannot be asked.
 */
export function countSteps(
  { startsAt, endsAt }: DayBounds,
  steps: number,
  askedAfterMs: number,
  ...key: readonly (string | number)[]
): HourlySteps[] {
  const chance = makeChance('hours', ...key);
  const hours: HourlySteps[] = [];
  let walked = 0;
  for (let at = startsAt + askedAfterMs, hour = 0; at < endsAt; at += HOUR_MS, hour += 1) {
    walked += ((SHARES[Math.min(hour, 23)] ?? 0) / TOTAL) * steps * chance.between(0.75, 1.25);
    const isLast = at + HOUR_MS >= endsAt;
    const accumulated = isLast ? steps : Math.min(steps, Math.round(walked));
    const luck = chance.unit();
    if (luck < 0.012) hours.push({ at, accumulated: 0, failure: null });
    else if (luck < 0.024) hours.push({ at, accumulated: null, failure: null });
    else if (luck < 0.036) hours.push({ at, accumulated: Math.round(accumulated * 0.8), failure: null });
    else if (luck < 0.048)
      hours.push({ at, accumulated: null, failure: chance.pick(['timeout', 'authentication', 'quota']) });
    else hours.push({ at, accumulated, failure: null });
  }
  return hours;
}
