import type { Scene } from './scene.ts';
import { effectiveElement, effectiveOf, isWholeDay, isZoned, utcOf, type Times } from './times.ts';
import type { Notebook } from './notebook.ts';
import type { Setting } from './translation.ts';

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

/** What there is to know of a time. */
export interface TimeFacts {
  readonly isWholeDay: boolean;
  readonly isPossible: boolean;
  /** The moments of its ends, each in one text for all offsets. */
  readonly startUtc: string;
  readonly endUtc: string;
  /** As an element of an Observation. */
  readonly effective: Readonly<Record<string, unknown>>;
}

/** Remembers: the measurements of a document share few times. */
export function makeTimeFacts(receivedAt: Date | null, { timeAheadHours }: Setting): (times: Times) => TimeFacts {
  const known = new Map<string, Map<string, TimeFacts>>();
  let last: { readonly times: Times; readonly facts: TimeFacts } | null = null;

  function factsOf(times: Times): TimeFacts {
    const { start, end, open } = times;
    const ofStart = known.get(start);
    const before = open === undefined ? ofStart?.get(end) : undefined;
    if (before !== undefined) return before;
    const facts = {
      isWholeDay: isWholeDay(times),
      isPossible: isPossibleTime(times, receivedAt, timeAheadHours * HOUR_MS),
      startUtc: utcOf(start),
      endUtc: start === end ? utcOf(start) : utcOf(end),
      effective: effectiveElement(times),
    };
    if (open === undefined) {
      if (ofStart === undefined) known.set(start, new Map([[end, facts]]));
      else ofStart.set(end, facts);
    }
    return facts;
  }

  return (times) => {
    if (last?.times !== times) last = { times, facts: factsOf(times) };
    return last.facts;
  };
}

/** The effective time of each resource of a document. Where a period is the same object as the one before, so are these. */
export function makeTimesOf(): (resource: Readonly<Record<string, unknown>>) => Times | null {
  let last: { readonly period: unknown; readonly times: Times | null } | null = null;
  return (resource) => {
    const { effectivePeriod: period } = resource;
    const isPeriod = resource['effectiveDateTime'] === undefined && resource['effectiveInstant'] === undefined;
    if (period === undefined || !isPeriod) return effectiveOf(resource);
    if (last?.period !== period) last = { period, times: effectiveOf(resource) };
    return last.times;
  };
}

/** A time that cannot be is a finding, and what was measured then waits. */
export function tellImpossible(notebook: Notebook, at: string): void {
  notebook.find('time.implausible', at);
  notebook.decide(at, 'value', 'a time that cannot be', null, null);
}

export function judgeTimes({ notebook, receivedAt, setting }: Scene, at: string, times: Times | null): void {
  if (times === null || isPossibleTime(times, receivedAt, setting.timeAheadHours * HOUR_MS)) return;
  tellImpossible(notebook, at);
}

/** A sample of somebody who was not born yet is not theirs. */
export function judgeBirth({ notebook }: Scene, at: string, times: Times | null, birthDate: string | null): void {
  if (times === null || birthDate === null) return;
  const day = times.start.slice(0, birthDate.length);
  if (day.length === birthDate.length && day < birthDate) notebook.find('time.before-birth', at);
}
