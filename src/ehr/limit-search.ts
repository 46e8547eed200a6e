import {
  addAnswer,
  compareLimits,
  compareTimes,
  emptyWindow,
  type ComparedLimits,
  type TimedAnswer,
  type TimedWindow,
} from './timed-window.ts';

/**
 * Looks for the smallest limit beyond which more requests at once bring next to no throughput. A limit is measured, a
 * higher or a lower one is tried, and the two are compared within seconds of each other: nothing rests on what the EHR
 * once took for an answer.
 */
export const LIMIT_SEARCH = {
  min: 1,
  max: 32,
  /** How many answers measure a limit: twelve for each that may be under way, at least 48. */
  answersEach: 12,
  answersMin: 48,
  /**
   * A higher limit is taken if more than a tenth of what it adds becomes throughput, a lower one if less than a
   * twentieth of what it takes away was.
   */
  gainToGrow: 0.1,
  gainToShrink: 0.05,
  /** Growth that is as clear as this needs no second comparison. */
  gainClear: 0.7,
  /**
   * A trial ends early, after one answer for each that may be under way but at least 8, where it does as much harm as
   * this.
   */
  harmOfMore: -1,
  harmOfLess: 0.7,
  harmAnswersMin: 8,
  /** By how much a trial goes up or down. */
  coarse: 1.5,
  fine: 4 / 3,
  /** Between two rounds of trials: doubled by a round that changes nothing, halved by a change. */
  restMsMin: 10_000,
  restMsMax: 120_000,
  /** An EHR that became faster or slower by this factor ends a rest once it has lasted its minimum. */
  changed: 1.3,
  /**
   * After as long without an answer that counts, or as many times as long as an answer takes, what was measured is
   * forgotten.
   */
  gapMs: 5_000,
  gapAnswers: 4,
  /** A limit at which the EHR was overloaded, or which did harm, is not tried again for so long. */
  ceilingMs: 300_000,
} as const;

/**
 * `untried`: nothing was compared yet. `growing`: the last trial of more raised throughput. `queueing`: more at once
 * only took longer, so the limit was lowered. `steady`: neither more nor less is better. `overload`: halved, and
 * nothing was compared since.
 */
export type LimitReason = 'untried' | 'growing' | 'steady' | 'queueing' | 'overload';

/**
 * A second comparison is made in the opposite order, so that an EHR that becomes faster or slower by itself cannot
 * speak for a limit twice.
 */
type Phase =
  | { readonly at: 'base' }
  | { readonly at: 'trial'; readonly limit: number; readonly base: TimedWindow }
  | { readonly at: 'trial-again'; readonly limit: number }
  | { readonly at: 'base-again'; readonly limit: number; readonly trial: TimedWindow };

export interface LimitTrial extends ComparedLimits {
  readonly from: number;
  readonly to: number;
}

export interface LimitSearch {
  /** The limit that is best as far as is known. */
  readonly base: number;
  readonly phase: Phase;
  /** Of the limit in force. Requests that began before `sinceMs` were under way with another one. */
  readonly window: TimedWindow;
  readonly sinceMs: number;
  /** When the last answer that counts came. */
  readonly answeredMs: number;
  /** What is tried next, and when. */
  readonly next: 'up' | 'down';
  readonly factor: number;
  readonly notBeforeMs: number;
  /** `ms`: of the next rest. */
  readonly rest: { readonly ms: number; readonly sinceMs: number; readonly first: TimedWindow | null };
  readonly ceiling: { readonly limit: number; readonly untilMs: number } | null;
  readonly because: LimitReason;
  readonly lastTrial: LimitTrial | null;
  /** Mean time of an answer when the base was last measured. */
  readonly latencyMs: number | null;
}

const NO_REST = { ms: LIMIT_SEARCH.restMsMin, sinceMs: -Infinity, first: null } as const;

export const startSearch = (base: number): LimitSearch => ({
  base,
  phase: { at: 'base' },
  window: emptyWindow,
  sinceMs: -Infinity,
  answeredMs: -Infinity,
  next: 'up',
  factor: LIMIT_SEARCH.coarse,
  notBeforeMs: -Infinity,
  rest: NO_REST,
  ceiling: null,
  because: 'untried',
  lastTrial: null,
  latencyMs: null,
});

/** The limit in force. */
export const limitOf = ({ base, phase }: LimitSearch): number =>
  phase.at === 'trial' || phase.at === 'trial-again' ? phase.limit : base;

const measure = (search: LimitSearch, phase: Phase, nowMs: number): LimitSearch => ({
  ...search,
  phase,
  window: emptyWindow,
  sinceMs: nowMs,
});

function limitToTry({ base, next, factor, ceiling }: LimitSearch, nowMs: number): number {
  if (next === 'down') return Math.max(LIMIT_SEARCH.min, Math.min(base - 1, Math.round(base / factor)));
  const highest = ceiling !== null && nowMs < ceiling.untilMs ? ceiling.limit - 1 : LIMIT_SEARCH.max;
  return Math.min(Math.max(base, highest), Math.max(base + 1, Math.round(base * factor)));
}

/** What was tried is no better: then a smaller step, then the other direction, then nothing for a while. */
function refuse(search: LimitSearch, nowMs: number): LimitSearch {
  const { next, factor, rest } = search;
  if (factor > LIMIT_SEARCH.fine) return { ...search, factor: LIMIT_SEARCH.fine };
  if (next === 'up') return { ...search, next: 'down' };
  return {
    ...search,
    next: 'up',
    factor: LIMIT_SEARCH.fine,
    notBeforeMs: nowMs + rest.ms,
    rest: { ms: Math.min(LIMIT_SEARCH.restMsMax, rest.ms * 2), sinceMs: nowMs, first: null },
    because: 'steady',
  };
}

const accept = (search: LimitSearch, limit: number): LimitSearch => ({
  ...search,
  base: limit,
  factor: LIMIT_SEARCH.coarse,
  rest: { ...NO_REST, ms: Math.max(LIMIT_SEARCH.restMsMin, search.rest.ms / 2) },
  because: search.next === 'up' ? 'growing' : 'queueing',
});

/** The first window of a rest is what later ones are compared with. */
function rest(search: LimitSearch, nowMs: number): LimitSearch {
  const first = search.rest.first ?? search.window;
  const times = compareTimes(first, search.window);
  const slower = times === null ? 1 : times.afterMs / times.beforeMs;
  const isChanged = Math.max(slower, 1 / slower) > LIMIT_SEARCH.changed;
  if (!isChanged) return measure({ ...search, rest: { ...search.rest, first } }, { at: 'base' }, nowMs);
  const soonestMs = search.rest.sinceMs + LIMIT_SEARCH.restMsMin;
  const short = { ...search.rest, first, ms: LIMIT_SEARCH.restMsMin };
  return measure(
    { ...search, notBeforeMs: Math.min(search.notBeforeMs, soonestMs), rest: short },
    { at: 'base' },
    nowMs,
  );
}

/** The base was measured, and is what the next trial is compared with. */
function tryNext(search: LimitSearch, nowMs: number): LimitSearch {
  if (nowMs < search.notBeforeMs) return rest(search, nowMs);
  const limit = limitToTry(search, nowMs);
  // There is nothing to try in that direction.
  if (limit === search.base) return tryNext(refuse({ ...search, factor: LIMIT_SEARCH.fine }, nowMs), nowMs);
  return measure(search, { at: 'trial', limit, base: search.window }, nowMs);
}

const isBetter = ({ next }: LimitSearch, { gain }: ComparedLimits): boolean =>
  next === 'up' ? gain > LIMIT_SEARCH.gainToGrow : gain < LIMIT_SEARCH.gainToShrink;

const meanMs = ({ kinds, count }: TimedWindow): number =>
  Object.values(kinds).reduce((sum, { sumMs }) => sum + sumMs, 0) / count;

/** The limit in force has been measured. */
function afterWindow(search: LimitSearch, nowMs: number): LimitSearch {
  const { phase, window, base } = search;
  const told = (compared: ComparedLimits | null, to: number): LimitSearch =>
    compared === null ? search : { ...search, lastTrial: { from: base, to, ...compared } };
  switch (phase.at) {
    case 'base':
      return tryNext({ ...search, latencyMs: meanMs(window) }, nowMs);
    case 'trial': {
      const compared = compareLimits(phase.base, window);
      const known = told(compared, phase.limit);
      if (compared === null || !isBetter(search, compared)) return measure(refuse(known, nowMs), { at: 'base' }, nowMs);
      if (search.next === 'up' && compared.gain > LIMIT_SEARCH.gainClear)
        return tryNext({ ...accept(known, phase.limit), latencyMs: meanMs(window) }, nowMs);
      return measure(known, { at: 'trial-again', limit: phase.limit }, nowMs);
    }
    case 'trial-again':
      return measure(search, { at: 'base-again', limit: phase.limit, trial: window }, nowMs);
    case 'base-again': {
      const compared = compareLimits(window, phase.trial);
      const known = told(compared, phase.limit);
      const isTaken = compared !== null && isBetter(search, compared);
      return measure(isTaken ? accept(known, phase.limit) : refuse(known, nowMs), { at: 'base' }, nowMs);
    }
  }
}

/** A trial that does plain harm is not carried to its end; a higher limit that did is not tried again soon. */
function endHarmful(search: LimitSearch, nowMs: number): LimitSearch | null {
  const { phase, window, next } = search;
  if (phase.at !== 'trial' || window.count < Math.max(LIMIT_SEARCH.harmAnswersMin, phase.limit)) return null;
  const compared = compareLimits(phase.base, window);
  if (compared === null) return null;
  const isHarmful = next === 'up' ? compared.gain < LIMIT_SEARCH.harmOfMore : compared.gain > LIMIT_SEARCH.harmOfLess;
  if (!isHarmful) return null;
  const known = { ...search, lastTrial: { from: search.base, to: phase.limit, ...compared } };
  const ceiling = { limit: phase.limit, untilMs: nowMs + LIMIT_SEARCH.ceilingMs };
  return measure(refuse(next === 'up' ? { ...known, ceiling } : known, nowMs), { at: 'base' }, nowMs);
}

export function afterAnswer(before: LimitSearch, answer: TimedAnswer, nowMs: number): LimitSearch {
  // Only a limit that is used can be judged.
  if (answer.inFlight < limitOf(before) / 2) return before;
  const startedMs = nowMs - answer.tookMs;
  const isStale = nowMs - before.answeredMs > Math.max(LIMIT_SEARCH.gapMs, LIMIT_SEARCH.gapAnswers * answer.tookMs);
  const search = { ...(isStale ? measure(before, { at: 'base' }, startedMs) : before), answeredMs: nowMs };
  if (startedMs < search.sinceMs) return search;
  const added = { ...search, window: addAnswer(search.window, answer) };
  const isMeasured = added.window.count >= Math.max(LIMIT_SEARCH.answersMin, LIMIT_SEARCH.answersEach * limitOf(added));
  return isMeasured ? afterWindow(added, nowMs) : (endHarmful(added, nowMs) ?? added);
}

/** Half of the limit at which it happened. */
export function afterOverload(before: LimitSearch, nowMs: number): LimitSearch {
  const limit = limitOf(before);
  const halved: LimitSearch = {
    ...before,
    base: Math.max(LIMIT_SEARCH.min, Math.floor(limit / 2)),
    next: 'up',
    factor: LIMIT_SEARCH.fine,
    notBeforeMs: nowMs + LIMIT_SEARCH.restMsMin,
    rest: NO_REST,
    ceiling: { limit, untilMs: nowMs + LIMIT_SEARCH.ceilingMs },
    because: 'overload',
  };
  return measure(halved, { at: 'base' }, nowMs);
}
