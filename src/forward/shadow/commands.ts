import type { Actor } from '../../audit/index.ts';
import { fileBeside } from '../../kernel/index.ts';
import type { CommandSet } from '../../store/index.ts';
import type { Claimed } from '../../lanes/index.ts';

/** What would become of a waiting job. `not-yet`: the EHR could not be asked, so it is asked again. */
export const SHADOW_KINDS = ['write', 'nothing-to-write', 'park', 'refuse', 'not-yet'] as const;
export type ShadowKind = (typeof SHADOW_KINDS)[number];

/**
 * What would be done with one resource. `present`: the EHR holds it already. `left-out`: it takes none of this type.
 */
export const SHADOW_CHANGES = ['create', 'update', 'withdraw', 'present', 'left-out'] as const;
export type ShadowChange = (typeof SHADOW_CHANGES)[number];

export interface ShadowItem {
  /** Hexadecimal, as in the ledger. At rest it is a keyed hash. */
  readonly name: string;
  readonly resourceType: string;
  readonly change: ShadowChange;
}

/** By kind of change, then by resource type. */
export type ShadowCounts = Readonly<Partial<Record<ShadowChange, Readonly<Record<string, number>>>>>;

/** What evaluating one job came to. Holds no value and nothing that leads to a person. */
export interface Evaluation {
  readonly kind: ShadowKind;
  /** A reason for parking, or `new-patient` where a patient would be created first. */
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly items: readonly ShadowItem[];
}

export interface ShadowWaiting {
  /** What a person confirms: deliveries to be written and documents to be taken out of another chart. */
  readonly total: number;
  readonly deliveries: number;
  readonly retractions: number;
}

export interface ShadowOutcome {
  readonly kind: ShadowKind;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly count: number;
  readonly example: string;
}

export interface ShadowTotals {
  readonly since: number | null;
  readonly waiting: ShadowWaiting & { readonly lanes: number; readonly oldestAt: number | null };
  /** How many of them were evaluated by the mapping data, dialect and plan that are in force. */
  readonly evaluated: number;
  readonly outcomes: readonly ShadowOutcome[];
  /** Of what would be written: each resource once, however many deliveries speak of it. */
  readonly resources: readonly {
    readonly resourceType: string;
    readonly change: ShadowChange;
    readonly count: number;
  }[];
  readonly newPatients: number;
  /** What came to rest before its lane since shadow mode began. */
  readonly stopped: readonly {
    readonly state: 'parked' | 'quarantined';
    readonly reason: string | null;
    readonly count: number;
    readonly example: string;
  }[];
}

export interface ListedEvaluation {
  readonly seq: number;
  readonly id: string;
  readonly job: 'deliver' | 'retract';
  readonly dataStructure: string | null;
  readonly documentVersion: number | null;
  readonly receivedAt: number;
  readonly kind: ShadowKind;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly counts: ShadowCounts;
  readonly evaluatedAt: number;
}

/** A place in the order of lanes, and of jobs in a lane. */
export interface LanePlace {
  readonly patient: Uint8Array;
  readonly deliverySeq: number;
  readonly jobSeq: number;
}

interface OfTenant {
  readonly tenant: string;
}
interface OfTime extends OfTenant {
  readonly at: Date;
}

/** A report as old as this no longer stands for what waits. */
export const REPORT_TRUSTED_MS = 15 * 60_000;

export type ShadowWrites = {
  /** From now on nothing is claimed, by any process. Doing it again changes nothing. */
  'shadow.enter': { args: OfTime; out: { readonly since: number; readonly change: 'entered' | 'already' } };
  /**
   * Lets go on what waits. Refused unless `confirm` is the number that waits, or the one that was reported within the
   * last quarter of an hour. The number in a refusal counts as reported.
   */
  'shadow.leave': {
    args: OfTime & Actor & { readonly requestId: string; readonly confirm: number };
    out: { readonly outcome: 'left' | 'not-held' | 'unconfirmed'; readonly waiting: number };
  };
  /** A person was told that so many wait. */
  'shadow.reported': { args: OfTime & { readonly waiting: number }; out: null };
  /**
   * Which of these jobs are this process's to evaluate, for as long as the lease; those that another has just evaluated
   * are not.
   */
  'shadow.take': {
    args: OfTime & {
      readonly owner: string;
      readonly leaseMs: number;
      readonly basis: Uint8Array;
      readonly jobSeqs: readonly number[];
    };
    out: readonly number[];
  };
  /** `gone`: the job waits no longer, or another process evaluates it. */
  'shadow.put': {
    args: OfTime & {
      readonly owner: string;
      readonly jobSeq: number;
      readonly basis: Uint8Array;
      readonly evaluation: Evaluation;
      /** When it is evaluated again, where the EHR could not be asked. */
      readonly dueAt: Date | null;
    };
    out: 'stored' | 'gone';
  };
  /** Has them evaluated anew: of this kind, and for this reason or fault. */
  'shadow.again': {
    args: OfTenant & {
      readonly kind: ShadowKind | null;
      readonly reason: string | null;
      readonly after: number;
      readonly limit: number;
    };
    out: { readonly count: number; readonly last: number };
  };
  /** Removes what was found out about jobs that no longer wait. */
  'shadow.sweep': { args: OfTenant & { readonly limit: number }; out: number };
};

export type ShadowReads = {
  'shadow.state': { args: OfTenant; out: { readonly since: number | null; readonly waiting: number } };
  /** Jobs from this place on that were not evaluated on this basis; `next` is null where the list ends. */
  'shadow.pending': {
    args: OfTime & { readonly basis: Uint8Array; readonly after: LanePlace | null; readonly limit: number };
    out: { readonly jobSeqs: readonly number[]; readonly next: LanePlace | null };
  };
  /**
   * A job with all that is needed to evaluate it, as a claim would give it, without a lease of its lane. Null where it
   * waits no longer.
   */
  'shadow.load': { args: OfTenant & { readonly jobSeq: number }; out: Claimed | null };
  'shadow.report': { args: OfTenant & { readonly basis: Uint8Array | null }; out: ShadowTotals };
  'shadow.list': {
    args: OfTenant & {
      readonly kind: ShadowKind | null;
      readonly reason: string | null;
      readonly before: number | null;
      readonly limit: number;
    };
    out: readonly ListedEvaluation[];
  };
};

export const shadowSet: CommandSet<ShadowWrites, ShadowReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
