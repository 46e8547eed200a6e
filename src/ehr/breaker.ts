/**
 * Whether an EHR is left alone. Closed: all may ask. Open: nobody, until `untilMs`. Half-open: one asks, the others
 * wait for what comes of it. Times are of a clock that only grows.
 */
export type Breaker =
  | { readonly state: 'closed'; readonly recent: readonly { readonly atMs: number; readonly good: boolean }[] }
  | { readonly state: 'open'; readonly untilMs: number; readonly trips: number }
  | { readonly state: 'half-open'; readonly sinceMs: number; readonly trips: number };

/** `denied`: our credentials, so that no other request would fare better. `serverAsksMs`: its Retry-After. */
export type BreakerOutcome =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad'; readonly serverAsksMs: number | null }
  | { readonly kind: 'denied' }
  /** Nothing was learned about the EHR. */
  | { readonly kind: 'nothing' };

export const BREAKER = {
  windowMs: 30_000,
  inARow: 5,
  rateOf: 20,
  rate: 0.5,
  firstOpenMs: 5_000,
  openMsMax: 60_000,
  /** A probe of which nothing is heard for so long counts as lost. */
  probeMs: 120_000,
  recentMax: 200,
} as const;

export const closedBreaker: Breaker = { state: 'closed', recent: [] };

const openMs = (trips: number): number => Math.min(BREAKER.openMsMax, BREAKER.firstOpenMs * 2 ** trips);

const open = (nowMs: number, trips: number, serverAsksMs: number | null): Breaker => ({
  state: 'open',
  untilMs: nowMs + Math.max(openMs(trips), serverAsksMs ?? 0),
  trips: trips + 1,
});

export interface Admission {
  readonly breaker: Breaker;
  /** Zero: go. */
  readonly waitMs: number;
}

export function admit(breaker: Breaker, nowMs: number): Admission {
  switch (breaker.state) {
    case 'closed':
      return { breaker, waitMs: 0 };
    case 'open':
      return nowMs < breaker.untilMs
        ? { breaker, waitMs: breaker.untilMs - nowMs }
        : { breaker: { state: 'half-open', sinceMs: nowMs, trips: breaker.trips }, waitMs: 0 };
    case 'half-open': {
      const restMs = breaker.sinceMs + BREAKER.probeMs - nowMs;
      return restMs > 0
        ? { breaker, waitMs: Math.min(restMs, BREAKER.firstOpenMs) }
        : { breaker: { ...breaker, sinceMs: nowMs }, waitMs: 0 };
    }
  }
}

function isTripped(recent: readonly { readonly good: boolean }[]): boolean {
  let bad = 0;
  for (const { good } of recent) if (!good) bad += 1;
  if (bad === 0) return false;
  const last = recent.slice(-BREAKER.inARow);
  if (last.length === BREAKER.inARow && last.every(({ good }) => !good)) return true;
  return recent.length >= BREAKER.rateOf && bad >= recent.length * BREAKER.rate;
}

/**
 * What an exchange that was admitted came to. `startedMs` tells the probe from what was under way before the breaker
 * opened.
 */
export function afterOutcome(breaker: Breaker, outcome: BreakerOutcome, startedMs: number, nowMs: number): Breaker {
  const trips = breaker.state === 'closed' ? 0 : breaker.trips;
  if (outcome.kind === 'denied')
    return breaker.state === 'open' ? breaker : { state: 'open', untilMs: nowMs + BREAKER.openMsMax, trips: trips + 1 };
  if (outcome.kind === 'nothing')
    return breaker.state === 'half-open' && startedMs >= breaker.sinceMs
      ? { state: 'open', untilMs: nowMs, trips }
      : breaker;
  const asksMs = outcome.kind === 'bad' ? outcome.serverAsksMs : null;
  switch (breaker.state) {
    case 'closed': {
      // In the order of their time.
      const from = breaker.recent.findIndex(({ atMs }) => nowMs - atMs < BREAKER.windowMs);
      const recent =
        from < 0 ? [] : breaker.recent.slice(Math.max(from, breaker.recent.length + 1 - BREAKER.recentMax));
      recent.push({ atMs: nowMs, good: outcome.kind === 'good' });
      return isTripped(recent) ? open(nowMs, 0, asksMs) : { state: 'closed', recent };
    }
    case 'open':
      // A straggler. Only a longer wish of the server changes anything.
      return asksMs !== null && nowMs + asksMs > breaker.untilMs ? { ...breaker, untilMs: nowMs + asksMs } : breaker;
    case 'half-open':
      if (startedMs < breaker.sinceMs) return breaker;
      return outcome.kind === 'good' ? closedBreaker : open(nowMs, trips, asksMs);
  }
}
