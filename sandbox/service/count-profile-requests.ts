import type { ProfileCount } from './state.ts';

export const PROFILE_LIMITS = { hour: 3, day: 30 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Admission =
  | { readonly admitted: true; readonly count: ProfileCount }
  | {
      readonly admitted: false;
      readonly remainingHour: number;
      readonly remainingDay: number;
      readonly waitMs: number;
    };

/**
 * A window begins with the first request in it and ends an hour or 24 hours later, whatever the calendar says. A
 * refused request counts in none.
 */
export function admitProfileRequest(before: ProfileCount | undefined, nowMs: number): Admission {
  const isHour = before !== undefined && nowMs < before.hourFrom + HOUR_MS;
  const isDay = before !== undefined && nowMs < before.dayFrom + DAY_MS;
  const { hourFrom, hour } = isHour ? before : { hourFrom: nowMs, hour: 0 };
  const { dayFrom, day } = isDay ? before : { dayFrom: nowMs, day: 0 };
  if (hour < PROFILE_LIMITS.hour && day < PROFILE_LIMITS.day)
    return { admitted: true, count: { hourFrom, hour: hour + 1, dayFrom, day: day + 1 } };
  const ends = [
    ...(hour >= PROFILE_LIMITS.hour ? [hourFrom + HOUR_MS] : []),
    ...(day >= PROFILE_LIMITS.day ? [dayFrom + DAY_MS] : []),
  ];
  return {
    admitted: false,
    remainingHour: PROFILE_LIMITS.hour - hour,
    remainingDay: PROFILE_LIMITS.day - day,
    // Where both windows block, the later end is the one that does.
    waitMs: Math.max(...ends) - nowMs,
  };
}
