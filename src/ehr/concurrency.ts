import {
  afterAnswer,
  afterOverload,
  LIMIT_SEARCH,
  limitOf,
  startSearch,
  type LimitReason,
  type LimitSearch,
  type LimitTrial,
} from './limit-search.ts';

/** How many requests may be under way at once: as many as bring throughput, half after a sign of overload. */
export interface Concurrency {
  /** In force: what was found to be best, or what is being tried. */
  readonly limit: number;
  readonly inFlight: number;
  /**
   * `inFlight` added up over time until `countedMs`: how many were under way with a request is a mean over its time,
   * not what it met at its end.
   */
  readonly inFlightMs: number;
  readonly countedMs: number;
  /** Requests that began before this moment say nothing new about the lower limit. */
  readonly halvedAtMs: number;
  /** How long a request took of late; null before the first. */
  readonly exchangeMs: number | null;
  readonly search: LimitSearch;
}

/** What one request says of how long they take. */
const NEW_SHARE = 0.1;

export const CONCURRENCY = { start: 4, min: LIMIT_SEARCH.min, max: LIMIT_SEARCH.max } as const;

export const startConcurrency: Concurrency = {
  limit: CONCURRENCY.start,
  inFlight: 0,
  inFlightMs: 0,
  countedMs: 0,
  halvedAtMs: -Infinity,
  exchangeMs: null,
  search: startSearch(CONCURRENCY.start),
};

export const hasRoom = ({ limit, inFlight }: Concurrency): boolean => inFlight < limit;

/** What is remembered of a request while it is under way. */
export interface Entered {
  readonly atMs: number;
  readonly inFlightMs: number;
}

const count = (now: Concurrency, nowMs: number, change: 1 | -1): Concurrency => ({
  ...now,
  inFlightMs: now.inFlightMs + now.inFlight * (nowMs - now.countedMs),
  countedMs: nowMs,
  inFlight: Math.max(0, now.inFlight + change),
});

export function enter(before: Concurrency, nowMs: number): { readonly now: Concurrency; readonly entered: Entered } {
  const now = count(before, nowMs, 1);
  return { now, entered: { atMs: nowMs, inFlightMs: now.inFlightMs } };
}

/** `neutral`: an answer that says nothing about load, such as a connection that was refused. */
export type Load = 'good' | 'overload' | 'neutral';

export interface Left {
  readonly entered: Entered;
  readonly load: Load;
  /** Null: how long it took is not compared with others, as of a request that was refused. */
  readonly kind: string | null;
}

const lately = ({ exchangeMs }: Concurrency, tookMs: number): number =>
  exchangeMs === null ? tookMs : exchangeMs + (tookMs - exchangeMs) * NEW_SHARE;

export function leave(before: Concurrency, { entered, load, kind }: Left, nowMs: number): Concurrency {
  const now = count(before, nowMs, -1);
  const tookMs = nowMs - entered.atMs;
  if (load === 'overload') {
    const slower = { ...now, exchangeMs: lately(now, tookMs) };
    if (entered.atMs < now.halvedAtMs) return slower;
    const search = afterOverload(now.search, nowMs);
    return { ...slower, search, limit: limitOf(search), halvedAtMs: nowMs };
  }
  if (load === 'neutral' || kind === null || tookMs <= 0) return now;
  const inFlight = (now.inFlightMs - entered.inFlightMs) / tookMs;
  const search = afterAnswer(now.search, { kind, tookMs, inFlight }, nowMs);
  return { ...now, search, limit: limitOf(search), exchangeMs: lately(now, tookMs) };
}

/** What an operator is told. */
export interface ConcurrencyState {
  readonly limit: number;
  /** Another limit that is in force for a moment, to be compared with it. */
  readonly trial: number | null;
  readonly inFlight: number;
  readonly because: LimitReason;
  readonly latencyMs: number | null;
  readonly lastTrial: {
    readonly from: number;
    readonly to: number;
    readonly fromMs: number;
    readonly toMs: number;
    readonly gain: number;
  } | null;
}

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

const shown = ({ from, to, beforeMs, afterMs, gain }: LimitTrial): NonNullable<ConcurrencyState['lastTrial']> => ({
  from,
  to,
  fromMs: round(beforeMs, 1),
  toMs: round(afterMs, 1),
  gain: round(gain, 2),
});

export const stateOf = ({ limit, inFlight, search }: Concurrency): ConcurrencyState => ({
  limit: search.base,
  trial: limit === search.base ? null : limit,
  inFlight,
  because: search.because,
  latencyMs: search.latencyMs === null ? null : round(search.latencyMs, 1),
  lastTrial: search.lastTrial === null ? null : shown(search.lastTrial),
});
