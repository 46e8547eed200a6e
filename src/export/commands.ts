import type { Actor, AuditDraft } from '../audit/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { AskedExport } from './asked-export.ts';

export const EXPORT_LEVELS = ['system', 'patient', 'group'] as const;
export type ExportLevel = (typeof EXPORT_LEVELS)[number];

/**
 * `deleted`: by the client. `ended`: by an operator. `expired`: nobody fetches it any more. Of all but the first two the
 * key is destroyed.
 */
export const EXPORT_STATES = ['running', 'complete', 'failed', 'deleted', 'ended', 'expired'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** How many resources one file has, more or less: segments are not divided. */
export const RESOURCES_PER_FILE = 100_000;
/** How many exports that have ended are remembered. */
export const ENDED_MAX = 1_000;
/** How many MRNs a group has at most. */
export const MEMBERS_MAX = 100_000;

/** Whose export it is: a client is known by its issuer. */
export interface Owner {
  readonly issuer: string;
  readonly client: string;
}

export interface ExportJob extends Owner {
  readonly seq: number;
  readonly id: string;
  /** What the token of the start allowed. */
  readonly scope: string;
  readonly level: ExportLevel;
  readonly group: string | null;
  readonly types: readonly string[] | null;
  readonly since: number | null;
  readonly state: ExportState;
  readonly phase: 'gather' | 'patients' | 'shared';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly resources: number;
  readonly bytes: number;
  readonly fault: string | null;
  readonly requestId: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly expiresAt: number | null;
}

/** An export that a process has to itself until its lease ends. */
export interface ClaimedExport extends ExportJob {
  readonly epoch: number;
  readonly tokenId: string;
  readonly asked: AskedExport;
  /** Where the look-up of its patients goes on; null at the beginning. */
  readonly gatheredTo: string | null;
}

/** Which run of an export writes: what an earlier run writes late is refused. */
export interface ExportLease {
  readonly tenant: string;
  readonly seq: number;
  readonly epoch: number;
  readonly at: Date;
  readonly leaseMs: number;
}
/** `lost`: another run has it, or it was ended. Nothing was stored. */
export type LeaseOutcome = 'held' | 'lost';

export interface Mrn {
  readonly mrnSystem: string;
  readonly mrn: string;
}

export interface WaitingPatient extends Mrn {
  readonly n: number;
  readonly attempts: number;
}

/** Lines of one patient and type. */
export interface Segment {
  readonly n: number;
  readonly type: string;
  readonly resources: number;
  /** Of the lines, before they were compressed. */
  readonly bytes: number;
  /** Resources of this type in earlier segments of the patient. */
  readonly before: number;
  /** The lines as packed.ts keeps them. */
  readonly data: Uint8Array;
}

export interface ExportFile {
  readonly type: string;
  readonly part: number;
  readonly resources: number;
  readonly bytes: number;
}

/** Where a file goes on. */
export interface SegmentPlace {
  readonly patient: number;
  readonly n: number;
}

export interface PatientGroup {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly members: number;
  readonly linked: number;
  readonly actor: string;
  readonly changedAt: number;
}

interface GroupAct extends Actor {
  readonly tenant: string;
  readonly id: string;
  readonly at: Date;
  readonly requestId: string;
}

export type ExportWrites = {
  /** `too-many`: the client has as many under way, or kept, as it may have. */
  'exports.kick-off': {
    args: Owner & {
      readonly tenant: string;
      readonly id: string;
      readonly tokenId: string;
      readonly scope: string;
      readonly level: ExportLevel;
      readonly group: string | null;
      readonly asked: AskedExport;
      readonly at: Date;
      readonly requestId: string;
      readonly underWayMax: number;
      readonly keptMax: number;
      readonly audit: AuditDraft;
    };
    out: 'started' | 'too-many';
  };
  /** The oldest export that nobody is at. What the run before it did not finish is removed. */
  'exports.claim': {
    args: { readonly tenant: string; readonly owner: string; readonly at: Date; readonly leaseMs: number };
    out: ClaimedExport | null;
  };
  'exports.renew': { args: ExportLease; out: LeaseOutcome };
  'exports.release': { args: ExportLease; out: null };
  /** Patients of the export, each once; `next` null: these were the last. `segments` tell of those who are left out. */
  'exports.gather': {
    args: ExportLease & {
      readonly patients: readonly Mrn[];
      readonly next: string | null;
      readonly segments: readonly Segment[];
    };
    out: LeaseOutcome;
  };
  /** Segments of a patient who is not done: nobody can fetch them yet. */
  'exports.put-segments': {
    args: ExportLease & { readonly patient: number; readonly segments: readonly Segment[] };
    out: LeaseOutcome;
  };
  /**
   * The patient is done, and recorded by the same commit. `done` becomes `left` where the link is no longer confirmed,
   * and where the same Patient is done by another MRN: then nothing of the patient is kept.
   */
  'exports.finish-patient': {
    args: ExportLease & {
      readonly patient: number;
      /** The id at the EHR; null where it is not known. */
      readonly chart: string | null;
      readonly outcome: 'done' | 'failed' | 'left';
      readonly segments: readonly Segment[];
      /** Names of resources that are nobody's, to which the patient's refer. */
      readonly refers: readonly string[];
      readonly fault: string | null;
      readonly audit: AuditDraft;
    };
    out: LeaseOutcome;
  };
  /** The patient is tried again; how often that was so far. */
  'exports.put-off': {
    args: ExportLease & { readonly patient: number; readonly fault: string };
    out: { readonly held: LeaseOutcome; readonly attempts: number };
  };
  'exports.put-shared': {
    args: ExportLease & {
      readonly names: readonly string[];
      readonly segments: readonly Omit<Segment, 'n' | 'before'>[];
    };
    out: LeaseOutcome;
  };
  'exports.to-shared': { args: ExportLease; out: LeaseOutcome };
  'exports.settle': {
    args: ExportLease & { readonly to: 'complete' | 'failed'; readonly fault: string | null; readonly keepMs: number };
    out: LeaseOutcome;
  };
  /** Its key is destroyed. Null: there is none of this client's; `over`: its files are gone already. */
  'exports.end': {
    args: {
      readonly tenant: string;
      readonly id: string;
      /** Null: by an operator, whoever's it is. */
      readonly of: Owner | null;
      readonly at: Date;
      readonly audit: AuditDraft;
    };
    out: ExportJob | 'over' | null;
  };
  /** Destroys keys of what has expired and removes rows that no key opens; how many. */
  'exports.sweep': { args: { readonly tenant: string; readonly at: Date; readonly limit: number }; out: number };
  /** Removes what was read of patients who have no confirmed link any more. */
  'exports.forget-unlinked': {
    args: { readonly tenant: string; readonly patients: readonly { readonly seq: number; readonly n: number }[] };
    out: null;
  };
  'groups.add': {
    args: GroupAct & { readonly name: string; readonly members: readonly Mrn[] };
    out: PatientGroup | 'name-taken' | 'too-many';
  };
  'groups.change': {
    args: GroupAct & { readonly name: string | null; readonly add: readonly Mrn[]; readonly remove: readonly Mrn[] };
    out: PatientGroup | 'not-found' | 'name-taken' | 'too-many';
  };
  'groups.remove': { args: GroupAct; out: 'removed' | 'not-found' };
};

export type ExportReads = {
  'exports.get': { args: { readonly tenant: string; readonly id: string }; out: ExportJob | null };
  /** What was asked, as it came; null where it is no longer known. */
  'exports.request': { args: { readonly tenant: string; readonly id: string }; out: string | null };
  /** Newest first, below this place. */
  'exports.list': {
    args: {
      readonly tenant: string;
      readonly client: string | null;
      readonly state: ExportState | null;
      readonly before: number | null;
      readonly limit: number;
    };
    out: readonly ExportJob[];
  };
  /** How many are remembered in each state. */
  'exports.count': { args: { readonly tenant: string }; out: Readonly<Record<ExportState, number>> };
  'exports.waiting': {
    args: { readonly tenant: string; readonly seq: number; readonly after: number; readonly limit: number };
    out: readonly WaitingPatient[];
  };
  'exports.waiting-shared': {
    args: { readonly tenant: string; readonly seq: number; readonly limit: number };
    out: readonly string[];
  };
  /** What can be fetched now: of patients who are done and linked. */
  'exports.files': { args: { readonly tenant: string; readonly seq: number }; out: readonly ExportFile[] };
  'exports.segments': {
    args: {
      readonly tenant: string;
      readonly seq: number;
      readonly type: string;
      readonly part: number;
      readonly after: SegmentPlace | null;
      readonly limit: number;
    };
    out: readonly (SegmentPlace & { readonly data: Uint8Array })[];
  };
  /** Patients of whom something was read and who have no confirmed link any more. */
  'exports.unlinked': {
    args: { readonly tenant: string; readonly limit: number };
    out: readonly { readonly seq: number; readonly n: number }[];
  };
  /** Newest first, below this place. */
  'groups.list': {
    args: { readonly tenant: string; readonly before: number | null; readonly limit: number };
    out: readonly PatientGroup[];
  };
  'groups.get': { args: { readonly tenant: string; readonly id: string }; out: PatientGroup | null };
  /** In the order of their coming, above this place; `linked`: those alone who have a confirmed link. */
  'groups.members': {
    args: {
      readonly tenant: string;
      readonly group: number;
      readonly which: 'all' | 'linked';
      readonly after: number;
      readonly limit: number;
    };
    out: readonly (Mrn & { readonly seq: number; readonly isLinked: boolean })[];
  };
  /** How many patients have a confirmed link. */
  'groups.count-linked': { args: { readonly tenant: string }; out: number };
};

export const exportSet: CommandSet<ExportWrites, ExportReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  soon: ['exports.claim'],
  postgres: () => import('./commands/all.ts'),
};
