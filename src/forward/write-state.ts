import type { Located, Verdict } from '../ehr/index.ts';
import type { Fault } from '../kernel/index.ts';
import type { WrittenRow } from '../lanes/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import type { Wanted } from '../translate/index.ts';
import type { Item } from './build-items.ts';
import type { EhrHabits } from './ehr-habits.ts';
import type { Looked } from './look-up.ts';
import type { EntryText, ItemRequest } from './request-items.ts';
import type { Stop } from './stop.ts';
import type { WriteDeps } from './write-deps.ts';

/*
 * Writing a document is a machine: a state and an event give the next state and the next act (`next-write.ts`). The
 * acts are carried out by `write-items.ts`, and what comes of each is the next event.
 *
 *   state      waits for                      then
 *   looking    what stands under a name       looks at the next, or writes
 *   writing    the answer to a request        settles its entries, sends less at a time, or ends
 *   settling   a read-back, or a lesson       settles the next entry, writes the rest, or ends
 *   ended      nothing
 */

/** Where something stands at the EHR. */
export interface Place {
  readonly id: string;
  readonly versionId: string | null;
}

/** What an answer says of one item. */
export interface Answer {
  readonly verdict: Verdict;
  readonly located: Located | null;
  readonly etag: string | null;
  readonly status: number | null;
  /** What the EHR made of it, where it shows that. */
  readonly resource: unknown;
}

/** What the decisions go by: what is known before the first request, what was learnt of the EHR, and the time. */
export interface WriteFacts extends Pick<
  WriteDeps,
  'plan' | 'saidAt' | 'known' | 'removed' | 'isApproved' | 'mode' | 'doubtAt' | 'intentsOf' | 'reader'
> {
  readonly items: readonly Item[];
  readonly provenance: Wanted | null;
  readonly patient: Omit<WriteDeps['patient'], 'remembered'>;
  readonly habits: EhrHabits;
  readonly nowMs: number;
}

/** What became of the items so far. */
export interface Progress {
  /** What is still to be written, as it is known by now. */
  readonly pending: readonly Item[];
  /** What stands in the chart, or is known to. */
  readonly written: readonly { readonly reference: string; readonly row: WrittenRow }[];
  /** What somebody else changed, or a person keeps: left alone. */
  readonly conflicts: readonly Item[];
  /** References to what is not there, and will not be: nothing may refer to it. */
  readonly leftOut: readonly string[];
  /** How often an item was written again because its version had gone on. */
  readonly rewrites: ReadonlyMap<string, number>;
  /** How many go into one request. */
  readonly entriesMax: number;
  /** `to-be-seen`: the patient was looked up a while ago, and is shown once by what is written. */
  readonly patient: 'to-be-seen' | 'known';
  readonly httpStatus: number | null;
  /** Whatever an earlier attempt may have written was found out. */
  readonly isLookedUp: boolean;
}

/** One request, with the items that it writes. */
export type WriteRequest =
  | ({ readonly kind: 'single'; readonly items: readonly [Item] } & ItemRequest)
  | {
      readonly kind: 'bundle';
      readonly items: readonly Item[];
      readonly type: 'transaction' | 'batch';
      readonly entries: readonly EntryText[];
      /** The patient is read in the same transaction. */
      readonly showsPatient: boolean;
    };

/** Entries of an answer that are being settled, one after the other. */
export interface Settling {
  readonly kind: 'settling';
  readonly progress: Progress;
  readonly items: readonly Item[];
  readonly answers: readonly Answer[];
  /** Which entry is being settled. */
  readonly at: number;
  /** To be written once more, as they are known now. */
  readonly again: readonly Item[];
  /** The gravest so far. */
  readonly stop: Stop | null;
  readonly isToBeSeen: boolean;
  /** For what its act was asked. */
  readonly waitsFor:
    | { readonly kind: 'conflict-read-back'; readonly verdict: Extract<Verdict, { kind: 'conflict' }> }
    | { readonly kind: 'place-read-back' }
    | { readonly kind: 'lesson'; readonly place: Place };
}

export type WriteState =
  | { readonly kind: 'looking'; readonly progress: Progress; readonly at: number }
  | { readonly kind: 'writing'; readonly progress: Progress; readonly items: readonly Item[] }
  | Settling
  | { readonly kind: 'ended'; readonly progress: Progress; readonly stop: Stop | null };

export type WriteEvent =
  | { readonly kind: 'looked'; readonly looked: Looked }
  | { readonly kind: 'look-failed'; readonly fault: Fault }
  /** The request was carried out; each of its entries has an answer of its own. */
  | {
      readonly kind: 'answered';
      readonly httpStatus: number | null;
      readonly answers: readonly Answer[];
      /** The EHR was asked to show what it makes of them. */
      readonly isToBeSeen: boolean;
      /** `seen`: the transaction has shown that the patient is still the one. */
      readonly patient: 'seen' | 'not-asked-for';
    }
  /** The request failed as a whole, or nobody knows what became of it. */
  | {
      readonly kind: 'failed';
      readonly httpStatus: number | null;
      readonly verdict: Exclude<Verdict, { kind: 'ok' }>;
    }
  /** A good answer that cannot be laid beside what was sent. */
  | { readonly kind: 'unreadable'; readonly httpStatus: number | null; readonly fault: Fault }
  /**
   * The patient was read in the transaction: `missing`, so that nothing was done; or written to, and no longer ours.
   */
  | { readonly kind: 'patient-missing'; readonly httpStatus: number | null }
  | { readonly kind: 'patient-moved'; readonly httpStatus: number | null }
  | { readonly kind: 'learnt' };

export type WriteAct =
  | { readonly kind: 'look'; readonly item: Item }
  | { readonly kind: 'send'; readonly request: WriteRequest }
  | {
      readonly kind: 'learn';
      readonly item: Item;
      readonly place: Place;
      readonly shown: AnyResource | null;
      /** Where the EHR shows nothing, it is looked at. */
      readonly isLookWanted: boolean;
    }
  | { readonly kind: 'end' };

export interface WriteStep {
  readonly state: WriteState;
  readonly act: WriteAct;
}
