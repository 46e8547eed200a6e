import type { LinkChange, LinkStatus } from './commands.ts';

/** A link that is not revoked, as the decision needs it. */
export interface LiveLink {
  readonly seq: number;
  readonly status: Exclude<LinkStatus, 'revoked'>;
  readonly isWanted: boolean;
}

export interface Decision {
  readonly change: LinkChange;
  /** The link that says what is wanted already, or will once its status is the wanted one; null: a new one is made. */
  readonly take: number | null;
  /** Places of links that come to their end by this. */
  readonly revoke: readonly number[];
  /** The confirmed link whose patient's chart what was written must leave. */
  readonly replaces: number | null;
}

/**
 * What becomes of the live links of a user (at most one confirmed) when one is wanted. A proposal stands beside what is
 * confirmed and takes the place of another proposal; a confirmation settles all of them.
 */
export function decideChange(live: readonly LiveLink[], wanted: 'proposed' | 'confirmed'): Decision {
  const confirmed = live.find(({ status }) => status === 'confirmed');
  const proposed = live.filter(({ status }) => status === 'proposed');
  if (confirmed?.isWanted === true) return { change: 'unchanged', take: confirmed.seq, revoke: [], replaces: null };
  const same = proposed.find(({ isWanted }) => isWanted);
  if (wanted === 'proposed' && same !== undefined)
    return { change: 'unchanged', take: same.seq, revoke: [], replaces: null };
  const others = proposed.filter((one) => one !== same).map(({ seq }) => seq);
  if (wanted === 'proposed') return { change: 'proposed', take: null, revoke: others, replaces: null };
  return {
    change: confirmed === undefined ? 'confirmed' : 'changed',
    take: same?.seq ?? null,
    revoke: confirmed === undefined ? others : [confirmed.seq, ...others],
    replaces: confirmed?.seq ?? null,
  };
}

/** What a revocation ends: what is confirmed and what is proposed. */
export const decideRevocation = (live: readonly LiveLink[]): LiveLink | null =>
  live.find(({ status }) => status === 'confirmed') ?? live[0] ?? null;
