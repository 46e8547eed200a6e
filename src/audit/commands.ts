import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { AuditDraft, Columns, ToSeal } from './record.ts';

/** A place in the order in which records are shown: newest first. */
export interface Place {
  readonly atMs: number;
  readonly chain: string;
  readonly seq: number;
}

export interface Search {
  readonly tenant: string;
  readonly patient: { readonly system: string; readonly mrn: string } | null;
  /** The EHR's id of the Patient. */
  readonly chart: string | null;
  /** Who acted, under each name that they have had in the audit; null for everybody. */
  readonly actors: readonly string[] | null;
  readonly client: string | null;
  readonly delivery: string | null;
  readonly request: string | null;
  /** Records of any of these types; null for all. */
  readonly types: readonly string[] | null;
  /** Of each list, records that tell of any of these: of that type, or of another whose `steps` do. */
  readonly tellingOf: readonly (readonly string[])[];
  /** `refused`: whatever was no success. */
  readonly outcome: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly before: Place | null;
  readonly limit: number;
  /** Whether what was sealed is opened, for whoever may know it. */
  readonly sealed: 'open' | 'leave';
}

export interface FoundRecord extends Place {
  readonly record: string;
  readonly opened: ToSeal | null;
}

export interface StoredChain {
  readonly chain: string;
  readonly previous: string | null;
  readonly firstLink: Uint8Array;
  /**
   * How far it is signed by what the database says; null in an export, whose chains were read later than its
   * checkpoints.
   */
  readonly covered: number | null;
}

/** A record as it is stored, with the columns that repeat what it says. */
export interface StoredRecord {
  readonly seq: number;
  readonly record: string;
  /** Null where a record comes from an export, which has neither. */
  readonly leaf: Uint8Array | null;
  readonly columns: Columns | null;
  readonly link: Uint8Array;
}

export interface StoredCheckpoint {
  readonly n: number;
  readonly atMs: number;
  readonly records: number;
  readonly note: string;
  readonly frontier: Uint8Array;
}

/** What no checkpoint covers yet, in the order of chains and of their records. */
export interface Uncovered {
  readonly last: StoredCheckpoint | null;
  readonly records: readonly {
    readonly chain: string;
    readonly seq: number;
    readonly leaf: Uint8Array;
    readonly link: Uint8Array;
  }[];
}

/**
 * The checkpoint up to which records were exported and may be gone, the signed note that says so, and which are gone of
 * each chain.
 */
export interface Dropped {
  readonly checkpoint: number;
  readonly note: string;
  readonly ends: readonly { readonly chain: string; readonly seq: number; readonly link: Uint8Array }[];
}

/** An MRN and an EHR's id that are one person's, as the audit names them. */
export interface Pair {
  readonly tenant: string;
  readonly patient: string;
  readonly chart: string;
}

export type AuditWrites = {
  /** For an act that has no other effect in the store, such as a refusal. */
  'audit.append': { args: AuditDraft; out: null };
  /** Several of one act, such as one for each patient of a search: all, or none. */
  'audit.append-many': { args: readonly AuditDraft[]; out: null };
  /** `overtaken`: another process has written one meanwhile, and this one is not stored. */
  'audit.checkpoint': {
    args: {
      readonly n: number;
      readonly at: Date;
      readonly records: number;
      readonly note: string;
      readonly frontier: Uint8Array;
      readonly heads: readonly { readonly chain: string; readonly seq: number }[];
    };
    out: 'stored' | 'overtaken';
  };
  /** Everything up to a checkpoint was exported, and a later one names the export: its records may go. */
  'audit.close-segment': {
    args: {
      readonly checkpoint: number;
      readonly namedBy: number;
      readonly digest: string;
      readonly heads: readonly { readonly chain: string; readonly seq: number }[];
    };
    out: null;
  };
  /** Removes what closed segments hold, but for the last record of each chain, on which the next one stands. */
  'audit.drop': { args: { readonly limit: number }; out: { readonly count: number } };
};

/** By whom or what acts are counted: who acted, through which app, or whose data were seen. */
export const COUNTED_BY = ['actor', 'app', 'patient'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

export interface CountAsked {
  readonly tenant: string;
  readonly by: CountedBy;
  readonly fromMs: number;
  readonly toMs: number;
  /** How long a point is. The points begin at `fromMs`. */
  readonly widthMs: number;
  /** No further record is counted: of more, the newest are. */
  readonly most: number;
}
export interface AuditCounts {
  /** So many acts of a name in a point; points without any are left out. */
  readonly counts: readonly { readonly name: string; readonly point: number; readonly count: number }[];
  /** How many records were counted. */
  readonly counted: number;
  readonly isExact: boolean;
}

export type AuditReads = {
  'audit.counts': { args: CountAsked; out: AuditCounts };
  'audit.search': { args: Search; out: readonly FoundRecord[] };
  'audit.last': { args: { readonly tenant: string; readonly type: string }; out: string | null };
  /** `journaled`: what is in the journal alone is not left to a later checkpoint. */
  'audit.uncovered': { args: { readonly limit: number; readonly journaled?: 'too' }; out: Uncovered };
  'audit.chains': { args: null; out: readonly StoredChain[] };
  'audit.chain': {
    args: { readonly chain: string; readonly after: number; readonly limit: number };
    out: readonly StoredRecord[];
  };
  'audit.checkpoints': { args: { readonly after: number; readonly limit: number }; out: readonly StoredCheckpoint[] };
  'audit.pairs': { args: { readonly after: Pair | null; readonly limit: number }; out: readonly Pair[] };
  /** One record by its place, opened; null where there is none of that tenant. */
  'audit.record': {
    args: { readonly tenant: string; readonly chain: string; readonly seq: number };
    out: FoundRecord | null;
  };
  /** The checkpoints by which the key changed, the first first. */
  'audit.rotations': { args: null; out: readonly { readonly n: number; readonly note: string }[] };
  'audit.dropped': { args: null; out: Dropped | null };
  /** A record whose chain nobody opened. */
  'audit.stray': { args: null; out: { readonly chain: string; readonly seq: number } | null };
};

/** A record has a time that can be written. */
const checkDraft = ({ at }: AuditDraft): void => void at.toISOString();

export const auditSet: CommandSet<AuditWrites, AuditReads> = {
  adding: ['audit.append', 'audit.append-many'],
  soon: ['audit.checkpoint'],
  journaled: {
    'audit.append': { answer: () => null, check: checkDraft, whenPutAside: 'commit-first' },
    'audit.append-many': {
      answer: () => null,
      check: (drafts) => drafts.forEach(checkDraft),
      whenPutAside: 'commit-first',
    },
  },
  seesJournaled: { 'audit.uncovered': ({ journaled }) => (journaled === 'too' ? Infinity : 0) },
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
