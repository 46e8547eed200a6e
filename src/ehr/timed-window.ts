/** A good answer: how long it took, and how many requests were under way meanwhile, itself included. */
export interface TimedAnswer {
  /** Only answers of one kind are compared with each other: see `kindOfRequest`. */
  readonly kind: string;
  readonly tookMs: number;
  readonly inFlight: number;
}

/** The answers to requests that began and ended while one limit was in force. */
export interface TimedWindow {
  readonly count: number;
  readonly inFlightSum: number;
  readonly kinds: Readonly<Record<string, { readonly count: number; readonly sumMs: number }>>;
}

export const emptyWindow: TimedWindow = { count: 0, inFlightSum: 0, kinds: {} };

export function addAnswer(window: TimedWindow, { kind, tookMs, inFlight }: TimedAnswer): TimedWindow {
  const { count, sumMs } = window.kinds[kind] ?? { count: 0, sumMs: 0 };
  return {
    count: window.count + 1,
    inFlightSum: window.inFlightSum + inFlight,
    kinds: { ...window.kinds, [kind]: { count: count + 1, sumMs: sumMs + tookMs } },
  };
}

/** What the same mixture of answers took on average in each of two windows. */
export interface ComparedTimes {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** So much of both windows must be of kinds that both hold. */
const COMMON_SHARE_MIN = 0.5;

/**
 * Each kind weighs as much as both windows hold of it, as in the basket of a price index: a window that happens to hold
 * more large Bundles does not look slower. Null where the windows have too little in common.
 */
export function compareTimes(before: TimedWindow, after: TimedWindow): ComparedTimes | null {
  let common = 0;
  let beforeMs = 0;
  let afterMs = 0;
  for (const [kind, then] of Object.entries(before.kinds)) {
    const now = after.kinds[kind];
    if (now === undefined) continue;
    const weight = Math.min(then.count / before.count, now.count / after.count);
    common += weight;
    beforeMs += (weight * then.sumMs) / then.count;
    afterMs += (weight * now.sumMs) / now.count;
  }
  if (common < COMMON_SHARE_MIN || beforeMs <= 0 || afterMs <= 0) return null;
  return { beforeMs: beforeMs / common, afterMs: afterMs / common };
}

/** A smaller change of what was really under way tells nothing. */
const WIDER_MIN = 1.05;

const inFlightMean = ({ inFlightSum, count }: TimedWindow): number => inFlightSum / count;

export interface ComparedLimits extends ComparedTimes {
  /**
   * Which share of a change in concurrency became throughput: 1 all of it, 0 none of it, below 0 throughput went the
   * other way.
   */
  readonly gain: number;
}

/**
 * What another limit did to throughput. By Little's law throughput is what is under way divided by how long each of it
 * takes, so a pause in what there is to send does not count against the limit. Null where the windows cannot tell.
 */
export function compareLimits(before: TimedWindow, after: TimedWindow): ComparedLimits | null {
  const times = compareTimes(before, after);
  if (times === null) return null;
  const wider = Math.log(inFlightMean(after) / inFlightMean(before));
  if (Math.abs(wider) < Math.log(WIDER_MIN)) return null;
  const slower = Math.log(times.afterMs / times.beforeMs);
  return { ...times, gain: (wider - slower) / wider };
}
