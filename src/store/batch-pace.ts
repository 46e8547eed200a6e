/**
 * What nobody outside waits for goes along with what is asked `now`, and alone where somebody asked `now` a moment ago
 * and may do so again: as much as takes about this long, as far as the last batches tell, so that the commit stays
 * short on a slow machine and a fast one is not held back.
 */
const BESIDE = { ms: 6, least: 4, most: 32 } as const;
const MOMENT_MS = 100;
/**
 * Nobody outside waits for a batch of nothing but commands that give way or are `soon`. It rests after the one before
 * it, for longer where that one was long, so that more of them share a commit; never while there are enough.
 */
const GATHER = { times: 2, mostMs: 12, enough: 16 } as const;
/**
 * While acknowledgements are waited for, what was journaled gives way to them: after each batch of it the processor is
 * theirs for so much longer than that batch took, until there is so much to carry out that a start would take seconds.
 */
const GIVE_WAY = { times: 20, mostMs: 200, enough: 16_384 } as const;
/** How much of what is known of the time that a command takes is what the last batch told. */
const NEWEST_SHARE = 0.2;

/** A batch as it has ended. */
export interface EndedBatch {
  readonly tookMs: number;
  /** How many commands it had, what was journaled among them. */
  readonly count: number;
  /** Of what was journaled it had all that it could take, and so much is left. */
  readonly journaledLeft: number | null;
}

/** How much shares a commit, and how long a batch waits until there is more. */
export function makeBatchPace(nowMs: () => number) {
  /** Of a command on average; null before the first. */
  let commandMs: number | null = null;
  let askedNowAt = -Infinity;
  let restUntil = 0;
  let giveWayUntil = 0;

  function besideMax(): number {
    if (commandMs === null) return BESIDE.least;
    return Math.min(BESIDE.most, Math.max(BESIDE.least, Math.floor(BESIDE.ms / commandMs)));
  }

  const wasAskedNow = (): boolean => nowMs() - askedNowAt < MOMENT_MS;

  return {
    /** Somebody outside waits, and may ask again a moment later. */
    askedNow(): void {
      askedNowAt = nowMs();
    },
    wasAskedNow,
    /** How many commands may go along with one that somebody outside waits for. */
    besideMax,
    /** How long so many commands, for none of which anybody outside waits, wait for more. */
    gatherMs(waiting: number): number {
      const enough = wasAskedNow() ? Math.min(GATHER.enough, besideMax()) : GATHER.enough;
      return waiting >= enough ? 0 : restUntil - nowMs();
    },
    /** How long what was journaled gives way. */
    giveWayMs: (): number => giveWayUntil - nowMs(),
    ended({ tookMs, count, journaledLeft }: EndedBatch): void {
      const newest = tookMs / count;
      commandMs = commandMs === null ? newest : commandMs + (newest - commandMs) * NEWEST_SHARE;
      restUntil = nowMs() + Math.min(GATHER.mostMs, GATHER.times * tookMs);
      if (journaledLeft !== null)
        giveWayUntil =
          journaledLeft < GIVE_WAY.enough ? nowMs() + Math.min(GIVE_WAY.mostMs, GIVE_WAY.times * tookMs) : 0;
    },
    /** It has rested. */
    rested(): void {
      restUntil = 0;
    },
  };
}
