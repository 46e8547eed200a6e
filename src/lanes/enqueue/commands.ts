import { fileBeside } from '../../kernel/index.ts';
import type { ChangedLink, Charted, LinkAct, SourceUser, WantedLink } from '../../identity/index.ts';
import type { Settle, State } from '../../inbox/index.ts';
import type { CommandSet } from '../../store/index.ts';
import type { FastClaimed, ClaimWish } from '../commands.ts';
import type { Unmapped } from './unmapped.ts';

/** The one EHR of a process for now; lanes and jobs have the column, so that several can follow. */
export const TARGET = 'ehr';

/** Why a document leaves a chart; as the job has it, where it is not a re-link. */
export type RetractBecause = 'revoked';

/** What of a user stands in the chart of its confirmed link: what revoking it would withdraw, or leave. */
export interface Charting {
  /** Null where no link is confirmed. */
  readonly linkId: string | null;
  readonly resources: readonly {
    readonly resourceType: string;
    /** Of which summary it is: body, physical, sleep, lab … */
    readonly group: string;
    readonly day: string | null;
    readonly count: number;
  }[];
  /** Deliveries that are on their way to the chart, and would wait for a link. */
  readonly waiting: number;
}

/** What bringing deliveries to where a link says has done so far. */
export interface Adjusted {
  /** Waited for the link, and are in their lane now. */
  readonly released: number;
  /** In a lane again, of another patient than before: from their old lane, or from the old chart. */
  readonly requeued: number;
  /** Documents that are taken out of the old patient's chart. */
  readonly retracting: number;
  /** Of these, how many cannot be written to the new chart, since their bytes are gone. */
  readonly unrepeatable: number;
  /** Wait for a link again. */
  readonly parked: number;
  /** All deliveries of the user are where the link says; else there is more to do. */
  readonly isSettled: boolean;
}

/**
 * How many deliveries of a user one command moves: some hundred statements, and a fraction of a second, on PostgreSQL.
 */
export const ADJUST_LIMIT = 100;

export type LinkOutcome = Omit<ChangedLink, 'link'> & { readonly id: string; readonly status: string } & Adjusted;

export type DeliverWrites = {
  /**
   * Null where somebody else has settled it meanwhile. A wish to claim it is granted only where nothing stands before
   * it.
   */
  'deliver.settle': {
    args: Settle & { readonly claim?: ClaimWish };
    out: { readonly state: State; readonly reason: string | null; readonly fastClaim?: FastClaimed } | null;
  };
  /** Proposes, confirms or changes a link, and moves the first deliveries of its user in the same commit. */
  'deliver.link': { args: LinkAct & { readonly wanted: WantedLink; readonly limit: number }; out: LinkOutcome };
  /**
   * `unsettled`: an earlier change must first be carried out (`deliver.adjust`), since it would be forgotten with the
   * link.
   */
  'deliver.revoke': {
    args: LinkAct & {
      readonly user: SourceUser;
      readonly why: string;
      readonly charted?: Charted;
      readonly limit: number;
    };
    out: LinkOutcome | 'not-found' | 'unsettled';
  };
  /** The next deliveries of a user whose link has changed. Doing it once too often changes nothing. */
  'deliver.adjust': { args: LinkAct & { readonly user: SourceUser; readonly limit: number }; out: Adjusted };
};

export type DeliverReads = {
  /** Words of the source that nobody has mapped; newest first, below this place. */
  'deliver.unmapped': {
    args: { readonly tenant: string; readonly before: number | null; readonly limit: number };
    out: readonly Unmapped[];
  };
  /** Those of these ids that are known. */
  'deliver.words': { args: { readonly tenant: string; readonly ids: readonly string[] }; out: readonly Unmapped[] };
  'deliver.charting': { args: { readonly tenant: string; readonly user: SourceUser }; out: Charting };
  /** Users whose deliveries are not yet where their links say, longest first. */
  'deliver.unsettled': { args: { readonly tenant: string; readonly limit: number }; out: readonly SourceUser[] };
};

export const deliverSet: CommandSet<DeliverWrites, DeliverReads> = {
  afterPlace: { 'deliver.settle': ({ seq }) => seq },
  sqlite: fileBeside(import.meta.url, './commands/all'),
  inOneLine: true,
  postgres: () => import('./commands/all.ts'),
};
