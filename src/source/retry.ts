import type { Exchange } from './exchange.ts';

/**
 * What may be sent a second time. `any`: it does the same again. `refused`: only where the service said that it failed,
 * or heard nothing; a lost answer may mean that it was done.
 */
export type Repeat = 'any' | 'refused';

/** A proxy may have sent 502 or 504 without knowing what the service did. */
const REFUSED: readonly number[] = [500, 503];
const WAITS_MS = [200, 1_000] as const;
/** A caller would not wait longer than this, so it gets the fault instead. */
const SERVER_ASKS_MAX_MS = 5_000;

/** How long to wait before the next try; null: this was the last. `spread` is in [0, 1). */
export function decideRetry(exchange: Exchange, repeat: Repeat, tries: number, spread: number): number | null {
  const waitMs = WAITS_MS[tries - 1];
  if (waitMs === undefined) return null;
  const planned = Math.round(waitMs * (0.5 + spread / 2));
  if (exchange.kind === 'silent') {
    if (exchange.because === 'unreadable') return null;
    return exchange.because === 'unsent' || repeat === 'any' ? planned : null;
  }
  // A 429 counts requests by the hour: another one at once would only be refused again.
  if (exchange.status < 500 || (repeat === 'refused' && !REFUSED.includes(exchange.status))) return null;
  const asked = exchange.retryAfterMs ?? 0;
  return asked > SERVER_ASKS_MAX_MS ? null : Math.max(planned, asked);
}
