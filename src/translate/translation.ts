import type { Dialect, Mappings } from '../mappings/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import type { IdentityClaims } from './lab/claims.ts';
import type { Name } from './name.ts';

/** The patient whose chart a document belongs to. The link says so; nothing in the document does. */
export interface LinkedPatient {
  readonly mrnSystem: string;
  readonly mrn: string;
}

/** The delivery that brought the document, for its Provenance. */
export interface DeliveryFacts {
  readonly id: string;
  readonly receivedAt: Date;
}

/**
 * Of what was not delivered, such as a file that is explained: of no time, so that the same file gives the same bytes.
 */
export const NOT_RECEIVED = new Date(0);

export type UnmappedPolicy = 'park' | 'pass-through' | 'leave-out';

export interface Setting {
  readonly mappings: Mappings;
  readonly dialect: Dialect;
  /** What becomes of what nobody has mapped. `leave-out`: that part of the document waits, the rest is written. */
  readonly unmapped: UnmappedPolicy;
  /** LOINC codes that the source gives itself: taken after checks, or a reason to wait for a person. */
  readonly standardCodes: 'accept' | 'park';
  /** Whether the Patient also names the source user. */
  readonly sourceIdentifier: 'secondary' | 'none';
  /** `preliminary`: results that a machine read from a document wait for a person's look. */
  readonly labStatus: 'preliminary' | 'as-given';
  /** `Practitioner/ID` at the EHR, whom a vital sign names as its performer where the dialect asks for one. */
  readonly practitioner: string | null;
  readonly environment: 'production' | 'sandbox';
  /** How far after the delivery came a time may lie that it tells of: clocks are a little ahead. */
  readonly timeAheadHours: number;
}

/** What a site's own template made of a structure that the gateway does not know. */
export interface CustomContent {
  readonly key: string;
  readonly resources: readonly AnyResource[];
}

/** The part of a chart that one document speaks for: a later version retracts only within it. */
export type Group =
  'body' | 'physical' | 'sleep' | 'other' | 'lab' | 'alerts' | 'profile' | 'steps' | 'custom' | 'support';

/** One resource that the EHR should hold. */
export interface Wanted {
  /**
   * Comes from what was measured, never from its value: doing it twice is doing it once. Also an id for EHRs that take
   * one.
   */
  readonly name: string;
  /**
   * Where the ledger keeps it, the same for whoever wants something of this name: the day that the name tells of, or its
   * document. Empty where it tells of neither.
   */
  readonly shelf: string;
  /** By which other wanted resources refer to it, until it has its address at the EHR. */
  readonly reference: string;
  readonly resource: AnyResource;
  readonly group: Group;
  /** The local day in the chart; null where the whole document stands or falls together. */
  readonly chartDay: string | null;
  /**
   * `to-replace`: says that nothing is left to say, and is written only where something was said before.
   * `if-absent`: shared between charts, so it is created once and never changed.
   */
  readonly write: 'always' | 'to-replace' | 'if-absent';
  /** Set by its builder where it must wait; it is then left out. */
  readonly waits?: Pick<LeftOut, 'at' | 'why'>;
  /**
   * An element that is no change when it alone differs: assumed because a profile wants it, or said by one of two
   * documents alone.
   */
  readonly assumed?: 'issued';
  /**
   * Another document may say the same. Where it does, that one's words stand and this document does not count as their
   * writer.
   */
  readonly yields?: true;
  /**
   * The ledger counts it as said by this document, and as said now, also where it stands already because of another.
   */
  readonly adopts?: true;
  /** The name of a statement which, once made after this document, forbids to write it. */
  readonly clearedBy?: Name;
  /** Names of measurements that it may repeat. It refers to those of them that stand in the chart. */
  readonly derivedFrom?: readonly Name[];
  /** A single reading of what health monitoring watches: alerts of its day may refer to it. */
  readonly isWatched?: true;
}

/**
 * Why a person must look. `unmapped`: nobody has said what it means. `implausible`: it cannot be true, or contradicts
 * itself.
 */
export type Trouble = 'unmapped' | 'implausible';

/** A measurement or result that waits for a person or for mapping data, while the rest of its document is written. */
export interface LeftOut extends Scope {
  /** The name under which it would stand in the chart, and by which the ledger would find it. */
  readonly name: string;
  readonly shelf: string;
  readonly at: string;
  readonly why: Trouble;
}

/** A part of the chart that a document speaks for, also where it has nothing left to say there. */
export interface Scope {
  readonly group: Group;
  readonly chartDay: string | null;
}

/** One decision of the translation and the row of the mapping data behind it. Codes and places, never values. */
export interface Decision {
  readonly at: string;
  readonly what: 'code' | 'unit' | 'value' | 'category' | 'dialect' | 'reference' | 'status' | 'device';
  readonly from: string;
  /** Null where nothing is known. */
  readonly to: string | null;
  readonly row: string | null;
  readonly source: string | null;
  readonly reviewer: string | null;
}

export type FindingCode =
  | 'code.unmapped'
  | 'context.unmapped'
  | 'code.disagrees'
  | 'code.standard'
  | 'codes.unreviewed'
  | 'unit.unmapped'
  | 'value.unreadable'
  | 'value.implausible'
  | 'value.rare'
  | 'values.contradict'
  | 'values.doubtful'
  | 'measurement.twice'
  | 'alerts.disagree'
  | 'resource.modified'
  | 'reference.dangling'
  | 'resource.left-out'
  | 'performer.unnamed'
  | 'codes.left-out'
  | 'time.unzoned'
  | 'time.implausible'
  | 'time.before-birth'
  | 'issued.assumed';

export interface TranslationFinding {
  readonly code: FindingCode;
  readonly at: string;
  /** The source's code, unit or name, where the finding is about one. */
  readonly what: string | null;
}

export interface Translation {
  /** Re-keyed to the MRN. Serves references and explain; written only where the EHR is told to create patients. */
  readonly patient: Wanted;
  /** In a fixed order: what is referred to comes before what refers to it. */
  readonly wanted: readonly Wanted[];
  /** Who a laboratory result says that it is of; null where it does not say. */
  readonly whose: IdentityClaims | null;
  /** Neither written nor counted as dropped. Empty where `trouble` stops the whole document. */
  readonly leftOut: readonly LeftOut[];
  /** Whatever the EHR takes of it: a later version takes back only within what it still speaks for. */
  readonly scopes: readonly Scope[];
  /** The day of which no alert holds any more, whichever document of the same user wrote it. */
  readonly clearsAlertsOf: string | null;
  /** Of everything in `wanted`; null where the EHR takes none. */
  readonly provenance: Wanted | null;
  readonly decisions: readonly Decision[];
  readonly findings: readonly TranslationFinding[];
  /** Why a person must look before anything of it is sent; `not-ready`: its source has not finished it. */
  readonly trouble: Trouble | 'not-ready' | null;
}
