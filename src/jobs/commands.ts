import type { Actor } from '../audit/index.ts';
import type { SeenDelivery, StuckState } from '../inbox/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';

/** What a bulk job can do to each of its deliveries. */
export const BULK_ACTS = ['replay', 'discard'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** What was only shown to an operator, who has not started it, is no job yet. */
export const BULK_STATES = ['running', 'done', 'stopped'] as const;
export type BulkState = (typeof BULK_STATES)[number];

/** How many deliveries one job can be about; who wants more narrows the choice, and makes several. */
export const DELIVERIES_MAX = 100_000;
/** How many are moved in one commit: so long does whoever else writes wait at most. */
export const PAGE = 20;
/** How many jobs may be under way. They are carried out one after the other. */
export const RUNNING_MAX = 20;
/** How many previews that nobody has started are kept, and how many jobs that have ended. */
export const PROPOSED_MAX = 20;
export const ENDED_MAX = 1_000;

/** Which deliveries. Null: whatever it is. */
export interface Choice {
  readonly state: StuckState;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly dataStructure: string | null;
  /** A word that they wait for, as the list of unmapped words names it. */
  readonly word: string | null;
  /** Those of one user, or of all users of one patient; who that is is not kept. */
  readonly ofOne: 'user' | 'patient' | null;
  /** In milliseconds: from then on, and before then. */
  readonly receivedFrom: number | null;
  readonly receivedTo: number | null;
}

/** Of whom: one user, or these by their keyed hashes in hexadecimal digits. Null: of anybody. */
export type Whose = { readonly client: string; readonly user: string } | readonly string[] | null;

export interface Chosen {
  /** In the order of arrival. */
  readonly deliveries: readonly SeenDelivery[];
  /** How many patients they are of; a user without a link counts as one. */
  readonly patients: number;
  /** How many of them tell of nobody. */
  readonly ofNobody: number;
}

export interface BulkJob {
  readonly seq: number;
  readonly id: string;
  readonly act: BulkAct;
  readonly choice: Choice;
  /** Of a discard: what the operator said. */
  readonly why: string | null;
  readonly state: BulkState;
  readonly total: number;
  readonly patients: number;
  readonly moved: number;
  /** Those that somebody else has moved before their turn came. */
  readonly skipped: number;
  readonly actor: string;
  /** What the person who began it was allowed by; null for a machine. */
  readonly roles: readonly string[] | null;
  /** Of the start: by it the audit has what the job moved. */
  readonly requestId: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** An act of a person on one job. */
export interface JobAct extends Actor {
  readonly tenant: string;
  readonly id: string;
  readonly at: Date;
  readonly requestId: string;
}

export type Started =
  | { readonly kind: 'started'; readonly job: BulkJob }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unconfirmed'; readonly count: number }
  | { readonly kind: 'too-many' };

/** `nothing`: no job is under way, or another process is at it. `busy`: somebody else holds all that comes next. */
export type Stepped =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'stepped'; readonly act: BulkAct; readonly moved: number; readonly ended: BulkJob | null };

export type JobWrites = {
  /** Remembers what an operator was shown, so that nothing else can be started. */
  'jobs.propose': {
    args: JobAct & {
      readonly act: BulkAct;
      readonly choice: Choice;
      readonly why: string | null;
      readonly deliveries: readonly SeenDelivery[];
      readonly patients: number;
    };
    out: null;
  };
  /** By whoever was shown it, who says how many deliveries that were. */
  'jobs.start': { args: JobAct & { readonly confirm: number }; out: Started };
  'jobs.stop': { args: JobAct; out: BulkJob | 'not-found' | 'not-running' };
  /** Moves the next few deliveries of the oldest job that runs: one commit, in one process at a time. */
  'jobs.step': { args: { readonly tenant: string; readonly at: Date }; out: Stepped };
};

export type JobReads = {
  /** What stands there now, up to one more than a job can be about. */
  'jobs.choose': { args: { readonly tenant: string; readonly choice: Choice; readonly whose: Whose }; out: Chosen };
  /** Newest first, below this place. */
  'jobs.list': {
    args: { readonly tenant: string; readonly before: number | null; readonly limit: number };
    out: readonly BulkJob[];
  };
  'jobs.get': { args: { readonly tenant: string; readonly id: string }; out: BulkJob | null };
};

export const jobSet: CommandSet<JobWrites, JobReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
