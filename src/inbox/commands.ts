import type { Actor } from '../audit/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import { journaled, receivedUpTo } from './journaled.ts';
import type { State } from './state.ts';
import type { StuckGroup, StuckName, StuckUser, StuckWord } from './stuck-group.ts';

export interface PutDelivery {
  readonly id: string;
  readonly tenant: string;
  readonly hook: 'data' | 'notification';
  readonly at: Date;
  readonly requestId: string;
  /** Of its sender's traceparent, where it had one. */
  readonly traceId?: string;
  /** The process that received it, and the authenticators that its sender passed. */
  readonly receiver: string;
  readonly sender: string;
  readonly body: Uint8Array;
}

export interface Received {
  readonly seq: number;
  readonly id: string;
  readonly hook: 'data' | 'notification';
  readonly requestId: string;
  /** Of the sender; absent where it had none. */
  readonly traceId?: string;
  readonly receivedAt: number;
  /** `unopenable`: sealed with a key that this process does not have. */
  readonly body: Uint8Array | 'unopenable';
}

/** What became of a webhook that was acknowledged. */
export type StoredDelivery =
  /** To be judged, with its bytes. */
  | { readonly kind: 'fresh'; readonly received: FreshDelivery }
  /** To be judged; its bytes are in the store alone. */
  | { readonly kind: 'in-store' }
  | { readonly kind: 'duplicate' };
export type FreshDelivery = Received & { readonly body: Uint8Array };

export interface ListedDelivery {
  readonly seq: number;
  readonly id: string;
  readonly hook: string;
  readonly receivedAt: number;
  readonly state: State;
  readonly reason: string | null;
  /** The fault behind the state, where there was one: `patient.none` behind `patient`. */
  readonly faultCode: string | null;
  readonly stateAt: number;
  readonly dataStructure: string | null;
  readonly documentVersion: number | null;
  readonly bodyBytes: number;
  readonly findings: readonly string[];
  readonly userId: string | null;
  /** The keyed hash of the user, in hexadecimal digits: by it the user's links are found. */
  readonly userIndex: string | null;
}

export interface DeliveryStep {
  readonly at: number;
  readonly from: State | null;
  readonly to: State;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly actor: string;
}

export interface DetailedDelivery extends ListedDelivery {
  readonly requestId: string;
  readonly sender: string;
  readonly duplicateOf: string | null;
  readonly hasBody: boolean;
  readonly steps: readonly DeliveryStep[];
}

/** Null: whatever it is. */
export interface DeliveryFilter {
  readonly tenant: string;
  readonly state: State | null;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly dataStructure: string | null;
  readonly finding: string | null;
  /** A word that it is parked for, by its keyed hash in hexadecimal digits. */
  readonly word: string | null;
  /** Of the request that brought it. */
  readonly requestId: string | null;
  readonly user: { readonly client: string; readonly user: string } | null;
  /** The users of a patient, as `userIndex` names them. */
  readonly users: readonly string[] | null;
  /** Who looks after it, by the id of the operator. */
  readonly assigned: { readonly kind: 'operator'; readonly id: string } | { readonly kind: 'nobody' } | null;
  /** In milliseconds: from then on, and before then. */
  readonly receivedFrom: number | null;
  readonly receivedTo: number | null;
}

/** A place in the list. By its time alone where a time is asked for, else by the order of arrival. */
export interface ListPlace {
  readonly seq: number;
  readonly receivedAt: number;
}

/** `next`: where the next page begins; null at the end. A page may hold fewer than it could, and yet have a next. */
export interface ListPage {
  readonly deliveries: readonly ListedDelivery[];
  readonly next: ListPlace | null;
}

/** `isExact` is false where there are more than were counted. */
export interface Counted {
  readonly count: number;
  readonly isExact: boolean;
}

/** A delivery of the same document, of a version before. */
export interface EarlierVersion {
  readonly id: string;
  readonly receivedAt: number;
  readonly state: State;
  readonly documentVersion: number;
}

export interface LedgerCounts {
  readonly acknowledged: number;
  readonly byState: Readonly<Record<State, number>>;
}

/** What goes on now: counts, the delivery that waits longest, and what became a problem in a span of time. */
export interface FlowCounts {
  readonly counts: LedgerCounts;
  readonly oldestAt: number | null;
  readonly problems: {
    readonly problems: readonly {
      readonly state: 'parked' | 'quarantined';
      readonly reason: string | null;
      readonly count: number;
    }[];
    /** False where there were more than were counted. */
    readonly isExact: boolean;
  };
}

/** An act of a person on one delivery. */
export interface Act extends Actor {
  readonly tenant: string;
  readonly id: string;
  readonly at: Date;
  readonly requestId: string;
}

/** A delivery by its place in the order of arrival, and when its state last changed: by that it is known unmoved. */
export type SeenDelivery = readonly [seq: number, stateAt: number];

export type ActOutcome = 'done' | 'not-found' | 'not-in-a-state-for-it';

/** How many notes a delivery can have. */
export const NOTES_MAX = 100;

export interface DeliveryWork {
  /** The id of the operator who looks after it. */
  readonly operator: string | null;
  /** Oldest first. */
  readonly notes: readonly { readonly at: number; readonly actor: string; readonly text: string }[];
}

export type InboxWrites = {
  /** `accepted`: whether its bytes came before is found out when it is carried out. */
  'inbox.put': {
    args: PutDelivery;
    out: Pick<Received, 'seq'> & { readonly state: 'accepted' | 'received' | 'duplicate' };
  };
  /** `decision`: what a person decided on it before; the step says so. */
  'inbox.replay': { args: Act & { readonly decision?: string }; out: ActOutcome };
  'inbox.replay-many': {
    args: Omit<Act, 'id'> & {
      readonly state: 'parked' | 'quarantined';
      readonly reason: string | null;
      readonly after: number;
      readonly limit: number;
    };
    out: { readonly count: number; readonly last: number };
  };
  /** Who looks after it from now on; null: nobody. */
  'inbox.assign': { args: Act & { readonly operator: string | null }; out: 'done' | 'not-found' };
  /** Sealed by the key of the delivery. `full`: it has as many as it can. */
  'inbox.note': { args: Act & { readonly text: string }; out: ActOutcome | 'full' };
  'inbox.discard': { args: Act & { readonly why: string }; out: ActOutcome };
  /** Removes bodies that have been kept long enough. Rows and digests stay. */
  'inbox.shred': {
    args: { readonly tenant: string; readonly before: Date; readonly at: Date; readonly limit: number };
    out: { readonly count: number };
  };
};

export type InboxReads = {
  /**
   * What waits to be looked at, in the order of arrival: of this receiver at once, of others when they have had time
   * enough. What they received later than `othersAfter` was stamped by a clock that is ahead, and does not wait for
   * ours to come that far.
   */
  'inbox.received': {
    args: {
      readonly tenant: string;
      readonly receiver: string;
      readonly othersBefore: number;
      readonly othersAfter: number;
      readonly between: readonly [after: number, before: number | null];
      readonly limit: number;
      /** No further one is read beyond so many bytes. */
      readonly bytes: number;
      /** As many as `limit` of those that are in the journal alone are carried out first. */
      readonly journaled?: 'too';
    };
    out: readonly Received[];
  };
  /** The bytes of one delivery; null where there is none, or where its bytes are gone. */
  'inbox.body': {
    args: { readonly tenant: string; readonly id: string };
    out: Omit<Received, 'seq'> | null;
  };
  /** Newest first, below this place. */
  'inbox.list': {
    args: DeliveryFilter & { readonly before: ListPlace | null; readonly limit: number };
    out: ListPage;
  };
  'inbox.count': { args: DeliveryFilter; out: Counted };
  'inbox.get': { args: { readonly tenant: string; readonly id: string }; out: DetailedDelivery | null };
  /** What waits for a person, by state, reason and fault; counted up to ten thousand each. */
  'inbox.groups': { args: { readonly tenant: string }; out: readonly StuckGroup[] };
  /** Whose the newest deliveries of a group are, most deliveries first. `isWhole`: all of the group were looked at. */
  'inbox.group-users': {
    args: { readonly tenant: string; readonly limit: number } & StuckName;
    out: { readonly users: readonly StuckUser[]; readonly isWhole: boolean };
  };
  /** Which unmapped words they wait for, the same way. `wordless`: how many of them are known to wait for none. */
  'inbox.group-words': {
    args: { readonly tenant: string; readonly limit: number } & StuckName;
    out: { readonly words: readonly StuckWord[]; readonly wordless: number; readonly isWhole: boolean };
  };
  /** The version before of the same document; null where this is the first, or no version of any. */
  'inbox.earlier': { args: { readonly tenant: string; readonly id: string }; out: EarlierVersion | null };
  /** Problems that began at `problemsFrom` or later and before `problemsTo`, and still are. */
  'inbox.flow': {
    args: {
      readonly tenant: string;
      readonly problemsFrom: number;
      readonly problemsTo: number;
      readonly problemsMax: number;
    };
    out: FlowCounts;
  };
  'inbox.work': { args: { readonly tenant: string; readonly id: string }; out: DeliveryWork | null };
  'inbox.ledger': { args: { readonly tenant: string }; out: LedgerCounts };
  /** The same, counted row by row. */
  'inbox.recount': { args: { readonly tenant: string }; out: LedgerCounts };
};

export const inboxSet: CommandSet<InboxWrites, InboxReads> = {
  adding: ['inbox.put'],
  journaled,
  // Whoever acts on a delivery may have heard of it by its acknowledgement.
  afterPlace: {
    'inbox.replay': () => Infinity,
    'inbox.assign': () => Infinity,
    'inbox.note': () => Infinity,
    'inbox.discard': () => Infinity,
  },
  seesJournaled: { 'inbox.received': receivedUpTo },
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
