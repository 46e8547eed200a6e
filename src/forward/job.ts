import type { Target } from '../ehr/index.ts';
import type { Pretranslated, Pretranslations, TranslationContext } from '../judge/index.ts';
import type { Clock, NewId } from '../kernel/index.ts';
import type { Claimed, Finish, LaneReads, LaneWrites, LedgerRow, Outcome, WrittenRow } from '../lanes/index.ts';
import type { Operate } from '../store/index.ts';
import type { ContentReader } from './content-reader.ts';
import type { Past } from './decide-outcome.ts';
import type { LearntHabits } from './learn-habits.ts';
import type { Planned } from './plan-job.ts';

/** What was done in the commit that put a delivery into its lane. */
export type FastClaim =
  /** It was claimed, and its ledger read. */
  | { readonly kind: 'claimed'; readonly ledger: readonly LedgerRow[] }
  /** An attempt was begun as well: what it was begun for, and the chart that it took. */
  | {
      readonly kind: 'begun';
      readonly ledger: readonly LedgerRow[];
      readonly attemptId: string;
      readonly planned: Planned;
      readonly chart: string;
      readonly reader: ContentReader;
    };

export interface JobDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: TranslationContext;
  readonly target: Target;
  readonly clock: Clock;
  readonly newId: NewId;
  /** In [0, 1). */
  readonly spread: () => number;
  readonly leaseMs: number;
  /** Since when the ledger is known to miss nothing; 0: ever since there is one. */
  readonly knownSince: number;
  /** False where another lane of this process is at the chart of this patient. */
  readonly enterChart: (reference: string) => boolean;
  /** Ends what is under way when the lease is lost. */
  readonly signal: AbortSignal;
  /** What judging made of it, where that is still there. */
  readonly pretranslated: Pretranslated | null;
  /** Null where it was claimed from its lane. */
  readonly fastClaim: FastClaim | null;
  readonly learn: Pretranslations['learn'];
  readonly habits: LearntHabits;
  /** Of the fingerprints. */
  readonly contentKey: string;
}

/** What was done, to be committed. */
export type Done = Omit<Finish, 'fence' | 'jobSeq' | 'at' | 'written' | 'events'> & {
  readonly written: readonly WrittenRow[];
};

/** How carrying out a job ended. `lease-lost`: somebody else may hold the lane, and nothing may be committed. */
export type JobEnd = { readonly kind: 'ended'; readonly done: Done } | { readonly kind: 'lease-lost' };

export const NOTHING_DONE = {
  attemptId: null,
  httpStatus: null,
  written: [],
  retracted: [],
  isResolved: false,
} as const satisfies Omit<Done, 'outcome'>;

export const endedWith = (outcome: Outcome, more: Partial<Done> = {}): JobEnd => ({
  kind: 'ended',
  done: { ...NOTHING_DONE, outcome, ...more },
});

export const SOON_MS = 1_000;
/** Nothing was tried, since our own store did not answer or the link is being changed. */
export const putBackSoon = (): JobEnd => endedWith({ kind: 'put-back', afterMs: SOON_MS });

const CHART_BUSY_MS = 150;
/** Somebody is at the same chart under another MRN, which is soon over. */
export const chartBusy = ({ spread }: Pick<JobDeps, 'spread'>): Outcome => ({
  kind: 'put-back',
  afterMs: Math.round(CHART_BUSY_MS * (1 + spread())),
});

/** What of a job's past decides how long it is tried. */
export function pastOf({ job }: Claimed, { clock, spread }: Pick<JobDeps, 'clock' | 'spread'>): Past {
  const first = job.firstAttemptAt;
  return {
    attempts: job.attempts,
    fewInARow: job.fewInARow,
    sinceFirstMs: first === null ? 0 : clock.now().getTime() - first,
    spread: spread(),
  };
}
