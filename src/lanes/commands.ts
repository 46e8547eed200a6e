import type { Actor } from '../audit/index.ts';
import type { Counted } from '../inbox/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { PackedItems } from '../events/index.ts';
import type { LedgerName, PackedWritten } from './ledger-document.ts';
import type { LedgerQuestion } from './ledger-rows.ts';
import type { WithdrawnBecause } from '../translate/index.ts';
import type { ChartContent, Fingerprint } from './fingerprint.ts';
import type { LedgerRow, RetractedRow } from './ledger-rows.ts';
import type { Outcome } from './outcome.ts';
import type { AttemptIssue, ShownAttempt, WaitingLane, WroteResource } from './shown.ts';

/** A lease: whoever holds it may write to this patient's chart, and nobody else. Its epoch only grows. */
export interface Fence {
  readonly tenant: string;
  readonly owner: string;
  readonly patient: Uint8Array;
  readonly epoch: number;
}

/** The head of a lane, leased, with all that is needed to carry it out. */
export interface Claimed {
  readonly patient: Uint8Array;
  readonly epoch: number;
  readonly job: {
    readonly seq: number;
    readonly kind: 'deliver' | 'retract';
    readonly attempts: number;
    /** How many of the last attempts in a row ended in a way of which few are worth making. */
    readonly fewInARow: number;
    readonly firstAttemptAt: number | null;
    /** Of a retraction: why the document leaves the chart. */
    readonly because: WithdrawnBecause;
  };
  readonly delivery: {
    readonly seq: number;
    readonly id: string;
    readonly requestId: string;
    readonly traceId: string | null;
    readonly receivedAt: number;
    /** Since when it is in its state: of one that is claimed from its lane, since when it waits there. */
    readonly stateAt: number;
  };
  /**
   * Since when it is in doubt what attempts for this document did: read back before writing again. Null where nothing
   * is.
   */
  readonly doubtAt: number | null;
  /** `gone`: shredded by retention. `held`: whoever claimed it has read it already. */
  readonly body: Uint8Array | 'unopenable' | 'gone' | 'held';
  /** The patient of this lane, as a link of the user names it; null where no link does. */
  readonly mrn: { readonly mrnSystem: string; readonly mrn: string } | null;
  /** Whether the confirmed link of the user is to this patient. */
  readonly isLinked: boolean;
  /** Digests of the plans of this delivery that a person has looked at and wants carried out, in hex. */
  readonly approvedPlans: readonly string[];
  /** A person has said what is to become of what somebody else changed. */
  readonly isDecided: boolean;
}

export type Decision = 'keep-theirs' | 'overwrite';

/** A resource of ours that somebody else changed, as it was when its delivery was parked. */
export interface ForeignChange {
  readonly name: string;
  readonly resourceType: string;
  readonly id: string;
  /** Null where it was removed, or where the EHR has no versions. */
  readonly versionId: string | null;
  /** Of what stood there; null where it was removed. */
  readonly fingerprint: Fingerprint | null;
  /** What both sides say, for whoever decides. */
  readonly sides: BothSides | null;
}
export interface BothSides {
  /** What the document says now; null where it no longer says anything. */
  readonly ours: ChartContent | null;
  /** What stands in the chart; null where it was removed. */
  readonly theirs: ChartContent | null;
}
export type SeenChange = ForeignChange & { readonly seenAt: number; readonly decision: Decision | null };

/** A wish to claim a delivery in the very commit that puts it into its lane. */
export interface ClaimWish extends Pick<LedgerQuestion, 'shelves'>, Partial<Pick<LedgerQuestion, 'alertsOf'>> {
  readonly owner: string;
  readonly leaseMs: number;
  /** For whom it was translated; another link makes the wish void. */
  readonly patient: { readonly mrnSystem: string; readonly mrn: string };
  /** Of what would be written, as a JSON list. */
  readonly names: string;
  /** Begun as well, where nothing of these names was written before; null where something must be asked first. */
  readonly attempt: {
    readonly id: string;
    readonly requestDigest: string;
    readonly intents: Uint8Array;
    /**
     * The patient at the EHR, whose chart is taken as `lane.begin` takes it; where somebody is at it, nothing is begun.
     */
    readonly chart: string;
  } | null;
}

export interface FastClaimed {
  readonly claimed: Claimed;
  readonly ledger: readonly LedgerRow[];
  readonly attemptId: string | null;
}

export type { LedgerRow, RetractedRow, WrittenRow } from './ledger-rows.ts';
export type { Delivered, Outcome, Patience } from './outcome.ts';
export type { AttemptIssue, ShownAttempt, WaitingLane, WroteResource } from './shown.ts';

export interface Finish {
  readonly fence: Fence;
  readonly jobSeq: number;
  readonly attemptId: string | null;
  readonly at: Date;
  readonly outcome: Outcome;
  readonly httpStatus: number | null;
  /** What the EHR said was wrong: codes of the standard and paths, never texts. */
  readonly issues?: readonly AttemptIssue[];
  /** Null where nothing was. */
  readonly written: PackedWritten | null;
  readonly retracted: readonly RetractedRow[];
  /** What apps may be told of it. */
  readonly events: PackedItems;
  /** What stands already and counts as said by this document from now on. */
  readonly adopted?: { readonly names: readonly LedgerName[]; readonly saidAt: number };
  /** Days of which other single readings stand in the chart than before: the alerts of these days may refer to them. */
  readonly alertDays?: readonly string[];
  /** Everything that an earlier attempt may have written was looked up: nothing about it is in doubt any more. */
  readonly isResolved: boolean;
  /** Of the plan that is parked, in hex: what a person can approve. */
  readonly planDigest?: string;
  /** What somebody else changed, for a person to decide on; `settled`: what was decided is carried out. */
  readonly foreign?: readonly ForeignChange[] | 'settled';
}

export interface TargetRow {
  readonly pausedAt: number | null;
  readonly pausedBy: string | null;
  /** How the EHR changes what it is given, as text. */
  readonly habits: string | null;
}

export interface LaneAct extends Actor {
  readonly tenant: string;
  readonly at: Date;
  readonly requestId: string;
}

export type LaneWrites = {
  /** Leases up to `limit` lanes that are due, and gives the head of each. */
  'lane.claim': {
    args: {
      readonly tenant: string;
      readonly owner: string;
      readonly at: Date;
      readonly leaseMs: number;
      readonly limit: number;
    };
    /** `examined`: lanes that were due, also those whose head cannot go on yet. */
    out: { readonly claimed: readonly Claimed[]; readonly examined: number };
  };
  /**
   * Commits that an attempt is about to be made. `lost`: the lease is no longer ours, so nothing may be sent. `busy`:
   * under another MRN somebody writes to the same chart just now.
   */
  'lane.begin': {
    args: {
      readonly fence: Fence;
      readonly jobSeq: number;
      readonly attemptId: string;
      readonly requestDigest: string;
      /** What it means to make of each resource, to be recognised later where its outcome is never learnt. */
      readonly intents: Uint8Array;
      /** The patient at the EHR; null: whom this lane wrote to last. */
      readonly chart: string | null;
      /** Only to look: the link may be to somebody else by now. */
      readonly mode: 'write' | 'look-only';
      readonly leaseMs: number;
      readonly at: Date;
    };
    out: 'begun' | 'lost' | 'busy';
  };
  /**
   * The end of an attempt: ledger, states, job and lane in one commit. `more`: and its lane is not empty. `lost`:
   * nothing of it was stored.
   */
  'lane.finish': { args: Finish; out: 'done' | 'more' | 'lost' };
  /** Which of these leases still hold. */
  'lane.renew': {
    args: {
      readonly tenant: string;
      readonly owner: string;
      readonly at: Date;
      readonly leaseMs: number;
      readonly held: readonly Pick<Fence, 'patient' | 'epoch'>[];
    };
    out: readonly boolean[];
  };
  /**
   * At a start: every lane that waits is due once, whatever clock its wait was counted by. On SQLite, which has one
   * process, leases of one that is gone end too; gives how many.
   */
  'lane.free': { args: { readonly tenant: string; readonly owner: string; readonly at: Date }; out: number };
  /**
   * Somebody serves this database. Gives since when that is so without a gap: what was written before may not be in the
   * ledger. On PostgreSQL this is also where it is noticed that the database's clock was set back: nothing waits longer
   * for it.
   */
  'lane.alive': { args: { readonly tenant: string; readonly at: Date; readonly leaseMs: number }; out: number };
  /** What both sides of conflicts said, which nobody can decide on any more, is not kept. Gives how many. */
  'lane.forget-sides': { args: { readonly tenant: string }; out: number };
  /** What the EHR said in attempts that ended before then is not kept. Gives how many. */
  'lane.forget-issues': { args: { readonly tenant: string; readonly before: Date }; out: number };
  /** What was learnt of how the EHR changes what it is given. */
  'lane.learn': { args: { readonly tenant: string; readonly habits: string }; out: null };
  /** A person wants the plan as it was parked: of one delivery, or of all that are parked so. Gives how many. */
  'lane.approve': {
    args: LaneAct & { readonly of: { readonly id: string } | { readonly reason: string | null } };
    out: number;
  };
  /** What is to become of what somebody else changed. Gives how many resources that is about. */
  'lane.decide': { args: LaneAct & { readonly id: string; readonly decision: Decision }; out: number };
  /**
   * The clock by which lanes wait went back so far: nothing waits longer for it. On PostgreSQL, which has its own, it
   * does nothing.
   */
  'lane.rewind': {
    args: { readonly tenant: string; readonly at: Date; readonly byMs: number; readonly leaseMs: number };
    out: null;
  };
  'lane.pause': { args: LaneAct & { readonly state: 'paused' | 'running' }; out: null };
  /**
   * Brings what was delivered into its lane again, so that new mapping data reach the chart. Only what differs is sent.
   */
  'lane.reforward': {
    args: LaneAct & {
      /** `left-out`: only those of which a part waits. */
      readonly which: 'all' | 'left-out';
      readonly after: number;
      readonly limit: number;
    };
    out: { readonly count: number; readonly last: number };
  };
};

export type LaneReads = {
  /** What the ledger says of the document of a delivery in a chart, and of what is asked for there whoever wrote it. */
  'lane.ledger': {
    args: {
      readonly tenant: string;
      readonly deliveryId: string;
      readonly patient: { readonly mrnSystem: string; readonly mrn: string };
    } & Pick<LedgerQuestion, 'names' | 'shelves'> &
      Partial<LedgerQuestion>;
    out: readonly LedgerRow[];
  };
  /** What stands in the chart of a patient because of the document of a delivery. */
  'lane.to-retract': {
    args: { readonly tenant: string; readonly deliverySeq: number; readonly patient: Uint8Array };
    out: readonly LedgerRow[];
  };
  /**
   * What attempts of unknown outcome meant to make of the resources of the documents of these deliveries in a chart.
   */
  'lane.intents': {
    args: { readonly tenant: string; readonly deliverySeqs: readonly number[]; readonly patient: Uint8Array };
    out: readonly Uint8Array[];
  };
  /** The last attempts for a delivery, newest first, and what it was the last to write. */
  'lane.history': {
    args: { readonly tenant: string; readonly deliveryId: string };
    out: { readonly attempts: readonly ShownAttempt[]; readonly wrote: readonly WroteResource[] };
  };
  'lane.foreign': { args: { readonly tenant: string; readonly deliveryId: string }; out: readonly SeenChange[] };
  'lane.target': { args: { readonly tenant: string }; out: TargetRow };
  /** How many wait, and since when the longest does. */
  'lane.lag': {
    args: { readonly tenant: string };
    out: {
      readonly lanes: Counted;
      readonly jobs: number;
      readonly oldestAt: number | null;
      /** Of documents that must leave a chart and cannot: a person must look. */
      readonly retractionsParked: number;
      /** Deliveries of which a part was left out and still waits, among the last thousand. */
      readonly leftOut: number;
    };
  };
  /**
   * Lanes in which something waits, the longest wait first. A page may be shorter than `limit` and have a next one all
   * the same: a long backlog is looked through part by part.
   */
  'lane.waiting': {
    args: {
      readonly tenant: string;
      /** Behind this place. */
      readonly after: number | null;
      readonly limit: number;
      readonly at: Date;
      readonly patients: 'open' | 'leave';
    };
    out: { readonly lanes: readonly WaitingLane[]; readonly next: number | null };
  };
};

export const laneSet: CommandSet<LaneWrites, LaneReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  inOneLine: true,
  soon: ['lane.claim', 'lane.begin', 'lane.finish', 'lane.renew', 'lane.alive'],
  postgres: () => import('./commands/all.ts'),
};
