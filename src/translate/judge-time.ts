import type { Scene } from './scene.ts';
import { isWholeDay, isZoned, type Times } from './times.ts';

const HOUR_MS = 3_600_000;
/** A day, or a time without a zone, begins in the east of the world so long before it ends in the west. */
const ZONES_MS = 25 * HOUR_MS;
const EARLIEST_YEAR = 1900;

/** A time without a zone is read as if in UTC: it is judged by the wider bound. */
const msOf = (text: string): number => Date.parse(text.includes(':') && !isZoned(text) ? `${text}Z` : text);

function isPossible(text: string, receivedMs: number, mostAheadMs: number): boolean {
  const ms = msOf(text);
  if (Number.isNaN(ms)) return true;
  return Number(text.slice(0, 4)) >= EARLIEST_YEAR && ms <= receivedMs + mostAheadMs;
}

/** Whether something can have been measured then: not before anybody lived who is alive, and not after it was told. */
export function isPossibleTime(times: Times, receivedAt: Date | null, aheadMs: number): boolean {
  const { start, end } = times;
  const receivedMs = receivedAt === null ? Infinity : receivedAt.getTime();
  const mostAhead = (text: string): number => (isZoned(text) ? aheadMs : aheadMs + ZONES_MS);
  // The day that goes on is often told of before it is over.
  if (isWholeDay(times)) return isPossible(start, receivedMs, aheadMs + ZONES_MS);
  return isPossible(start, receivedMs, mostAhead(start)) && isPossible(end, receivedMs, mostAhead(end));
}

/** A time that cannot be is a finding, and what was measured then waits. */
export function judgeTimes({ notebook, receivedAt, setting }: Scene, at: string, times: Times | null): void {
  if (times === null || isPossibleTime(times, receivedAt, setting.timeAheadHours * HOUR_MS)) return;
  notebook.find('time.implausible', at);
  notebook.decide(at, 'value', 'a time that cannot be', null, null);
}

/** A sample of somebody who was not born yet is not theirs. */
export function judgeBirth({ notebook }: Scene, at: string, times: Times | null, birthDate: string | null): void {
  if (times === null || birthDate === null) return;
  const day = times.start.slice(0, birthDate.length);
  if (day.length === birthDate.length && day < birthDate) notebook.find('time.before-birth', at);
}
