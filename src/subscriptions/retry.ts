/** How long is waited after so many failures in a row; the last one is repeated. */
const WAITS_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000] as const;
/** A notification is tried for so long; then the subscription is in error, and its app may turn it on again. */
export const GIVE_UP_MS = 3 * 86_400_000;
/** Who made a subscription is there to answer: a handshake is not tried for days. */
export const HANDSHAKE_MS = 15 * 60_000;

/**
 * When a notification is tried again; null: not any more. `failures`: in a row, with this one. `share`: from 0 to 1, so
 * that not everything that failed together is tried together.
 */
export function retryAt(of: {
  readonly failures: number;
  readonly failingSince: number;
  readonly nowMs: number;
  readonly state: 'requested' | 'active';
  readonly because: string;
  readonly share: number;
}): number | null {
  const { failures, failingSince, nowMs, state, because, share } = of;
  const limitMs = state === 'requested' ? HANDSHAKE_MS : GIVE_UP_MS;
  if (because === 'gone' || nowMs - failingSince >= limitMs) return null;
  const waitMs = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? WAITS_MS[0];
  return Math.min(nowMs + Math.round(waitMs * (0.8 + 0.4 * share)), failingSince + limitMs);
}
