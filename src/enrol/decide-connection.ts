import type { ConnectionNews, ConnectionState } from './commands.ts';

export interface Kept {
  readonly state: ConnectionState;
  readonly askedAt: number | null;
  /** The time of the last news that counted, also where it said the same again. */
  readonly changedAt: number;
}

/** A time recorded by a clock that was ahead is cut to the time of this event. */
export const withoutAhead = (kept: Kept | null, atMs: number, heardMs: number): Kept | null =>
  kept !== null && kept.changedAt > heardMs ? { ...kept, changedAt: atMs } : kept;

/**
 * What a connection is after some news. Notifications may arrive in any order: one that is older than what is known is
 * no longer news. Who is asked again although connected stays connected, and after a revocation only a new connection
 * counts.
 */
export function decideConnection(before: Kept | null, news: Pick<ConnectionNews, 'state'>, atMs: number): Kept {
  const { state } = news;
  if (before === null) return { state: state ?? 'asked', askedAt: state === 'asked' ? atMs : null, changedAt: atMs };
  const askedAt = state === 'asked' ? atMs : before.askedAt;
  const isStale = atMs < before.changedAt;
  const isNothing = state === null || (state === 'asked' && before.state === 'connected');
  const isEndOfRevoked = state === 'ended' && before.state === 'revoked';
  if (isStale || isNothing || isEndOfRevoked) return { ...before, askedAt };
  return { state, askedAt, changedAt: atMs };
}
