import { fileBeside } from '../../kernel/index.ts';
import type { ParkReason } from '../../inbox/index.ts';
import type { CommandSet } from '../../store/index.ts';
import type { Group } from '../../translate/index.ts';

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
    readonly firstAttemptAt: number | null;
  };
  readonly delivery: {
    readonly seq: number;
    readonly id: string;
    readonly requestId: string;
    readonly receivedAt: number;
  };
  /** An earlier attempt for this document ended without a clear answer: read back before writing again. */
  readonly isUnknown: boolean;
  /** `gone`: shredded by retention. */
  readonly body: Uint8Array | 'unopenable' | 'gone';
  /** The patient of this lane, as a link of the user names it; null where no link does. */
  readonly mrn: { readonly mrnSystem: string; readonly mrn: string } | null;
  /** Whether the confirmed link of the user is to this patient. */
  readonly isLinked: boolean;
  /** A person has seen that it takes back most of a day, and wants it so. */
  readonly wasApproved: boolean;
}

/** One resource as the ledger holds it. */
export interface LedgerRow {
  readonly name: string;
  readonly resourceType: string;
  readonly id: string;
  readonly versionId: string | null;
  readonly contentDigest: string;
  readonly group: Group;
  readonly chartDay: string | null;
  readonly isRetracted: boolean;
  /** Whether the document at hand is what wrote it last. */
  readonly isOfDocument: boolean;
  /** When that document was made, as its source says. */
  readonly saidAt: number;
}

/** What was written, to be put into the ledger. */
export interface WrittenRow {
  readonly name: string;
  readonly resourceType: string;
  readonly id: string;
  readonly versionId: string | null;
  readonly contentDigest: string;
  readonly group: Group;
  readonly chartDay: string | null;
  readonly saidAt: number;
}

export type Outcome =
  | { readonly kind: 'delivered' }
  /** Back into the lane, until then. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly faultCode: string }
  | { readonly kind: 'unknown'; readonly afterMs: number; readonly faultCode: string }
  | { readonly kind: 'park'; readonly reason: ParkReason; readonly faultCode: string | null }
  /** Nothing was tried. */
  | { readonly kind: 'put-back'; readonly afterMs: number };

export interface Finish {
  readonly fence: Fence;
  readonly jobSeq: number;
  readonly attemptId: string | null;
  readonly at: Date;
  readonly outcome: Outcome;
  readonly httpStatus: number | null;
  readonly written: readonly WrittenRow[];
  /** What was taken back, and its version since then. */
  readonly retracted: readonly { readonly name: string; readonly versionId: string | null }[];
  /** Everything that an earlier attempt may have written was looked up: nothing about it is in doubt any more. */
  readonly isResolved: boolean;
}

export interface TargetRow {
  readonly pausedAt: number | null;
  readonly pausedBy: string | null;
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
  /** Commits that an attempt is about to be made. `lost`: the lease is no longer ours, so nothing may be sent. */
  'lane.begin': {
    args: {
      readonly fence: Fence;
      readonly jobSeq: number;
      readonly attemptId: string;
      readonly requestDigest: string;
      /** Only to look: the link may be to somebody else by now. */
      readonly mode: 'write' | 'look-only';
      readonly leaseMs: number;
      readonly at: Date;
    };
    out: 'begun' | 'lost';
  };
  /** The end of an attempt: ledger, states, job and lane in one commit. `lost`: nothing of it was stored. */
  'lane.finish': { args: Finish; out: 'done' | 'lost' };
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
  /** SQLite has one process: leases of one that is gone hold nobody up. Elsewhere it does nothing. */
  'lane.free': { args: { readonly tenant: string; readonly owner: string; readonly at: Date }; out: number };
  'lane.pause': {
    args: {
      readonly tenant: string;
      readonly at: Date;
      readonly actor: string;
      readonly requestId: string;
      readonly state: 'paused' | 'running';
    };
    out: null;
  };
  /** Brings what was delivered into its lane again, so that new mapping data reach the chart. Only what differs is sent. */
  'lane.reforward': {
    args: {
      readonly tenant: string;
      readonly at: Date;
      readonly actor: string;
      readonly requestId: string;
      readonly after: number;
      readonly limit: number;
    };
    out: { readonly count: number; readonly last: number };
  };
};

export type LaneReads = {
  /** What the ledger says of the document of a delivery in a chart, and of these names there whoever wrote them. */
  'lane.ledger': {
    args: {
      readonly tenant: string;
      readonly deliveryId: string;
      readonly patient: { readonly mrnSystem: string; readonly mrn: string };
      readonly names: readonly string[];
    };
    out: readonly LedgerRow[];
  };
  /** What stands in the chart of a patient because of the document of a delivery. */
  'lane.to-retract': {
    args: { readonly tenant: string; readonly deliverySeq: number; readonly patient: Uint8Array };
    out: readonly LedgerRow[];
  };
  'lane.target': { args: { readonly tenant: string }; out: TargetRow };
  /** How many wait, and since when the longest does. */
  'lane.lag': {
    args: { readonly tenant: string };
    out: {
      readonly lanes: number;
      readonly jobs: number;
      readonly oldestAt: number | null;
      /** Of documents that must leave a chart and cannot: a person must look. */
      readonly retractionsParked: number;
    };
  };
};

export const laneSet: CommandSet<LaneWrites, LaneReads> = {
  sqlite: fileBeside(import.meta.url, './sqlite'),
  postgres: () => import('./postgres.ts'),
};
