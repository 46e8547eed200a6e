import type { AuditDraft } from '../audit/index.ts';
import type { EventKind } from '../events/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { Content, NumberedEvent, Settings, Subscription, SubscriptionState } from './subscription.ts';
import type { Filters } from './match.ts';

/** How many subscriptions one app may have that are not off. */
export const SUBSCRIPTIONS_MAX = 2_000;
/** How many it may have with those that are off, which are kept for 30 days. */
export const SUBSCRIPTION_ROWS_MAX = 4_000;
/** A wish to send what is due. */
export interface ClaimWish {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Apps of which enough is under way. */
  readonly without: readonly string[];
  /** How many of one app are leased at most, with those that are under way; absent: as many as are due. */
  readonly ofOneApp?: { readonly most: number; readonly underWay: readonly (readonly [string, number])[] };
}

/** How many deliveries are handed out in one commit. */
export const FAN_OUT_MAX = 200;
/** How much one commit writes, and how many items it compares with filters: whoever delivers waits for it. */
export const FAN_OUT_BOUNDS = { rows: 5_000, tries: 100_000 } as const;

/** Whose it is: nobody else sees it. */
export interface Owner {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
}

/** Whoever holds it may send to this endpoint, and nobody else. Its epoch only grows. */
export interface SendLease {
  readonly tenant: string;
  readonly owner: string;
  readonly seq: number;
  readonly epoch: number;
}

export interface Due {
  readonly lease: SendLease;
  readonly subscription: Subscription;
  /** Those behind what was sent, in their order, as many as go into one notification. */
  readonly events: readonly NumberedEvent[];
}

export interface WantedSubscription {
  readonly tenant: string;
  readonly id: string;
  readonly at: Date;
  readonly owner: Owner;
  readonly kind: EventKind;
  readonly filters: Filters;
  /** Null: whoever is linked. Else the MRNs by which these patients are known. */
  readonly patients: readonly { readonly mrnSystem: string; readonly mrn: string }[] | null;
  readonly content: Content;
  readonly settings: Omit<Settings, 'contextPatients'>;
  /** By which the patient of the token's context is known. */
  readonly context: readonly { readonly mrnSystem: string; readonly mrn: string }[];
  readonly endAt: number | null;
}

/** `sent`: up to this number. `failed`: with this fault; tried again then, or given up where that is null. */
export type SendOutcome =
  | { readonly kind: 'greeted' }
  | { readonly kind: 'sent'; readonly upTo: number }
  | { readonly kind: 'idle' }
  | { readonly kind: 'failed'; readonly because: string; readonly retryAt: number | null }
  | { readonly kind: 'off'; readonly because: string };

/** A subscription without what is only for its owner. */
export interface ListedSubscription {
  readonly seq: number;
  readonly id: string;
  readonly clientId: string;
  readonly kind: EventKind;
  readonly patients: 'any' | 'named';
  readonly content: Content;
  readonly state: SubscriptionState;
  readonly because: string | null;
  /** Where notifications go: scheme, host and port, without path. */
  readonly origin: string;
  readonly madeAt: number;
  readonly endAt: number | null;
  readonly lastNumber: number;
  readonly sentNumber: number;
  readonly sentAt: number | null;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly nextAt: number;
}

/** What is to be recorded of what an app is told: one for each patient, by a keyed hash; null where nobody is named. */
export type NotificationRecords = readonly {
  readonly patient: string | null;
  readonly draft: Omit<AuditDraft, 'at' | 'tenant' | 'patientHash'>;
}[];

export type SubscriptionWrites = {
  'subscription.add': { args: WantedSubscription; out: Subscription | 'too-many' };
  /** What an app changes of its own: it is greeted anew unless it is to be off. */
  'subscription.change': {
    args: {
      readonly tenant: string;
      readonly id: string;
      readonly owner: Owner;
      readonly at: Date;
      /** `changedAt` of the one from which the change was made. */
      readonly foundAt: number;
      readonly state: 'requested' | 'off';
      readonly content: Content;
      readonly endAt: number | null;
      readonly settings: Omit<Settings, 'contextPatients' | 'secrets'>;
    };
    /** `ended`: by an operator, which an app does not undo. `stale`: it has changed since. */
    out: Subscription | 'ended' | 'too-many' | 'stale' | null;
  };
  /** The new secret signs from now on; those before it sign beside it until then. */
  'subscription.rotate': {
    args: {
      readonly tenant: string;
      readonly id: string;
      readonly owner: Owner;
      readonly at: Date;
      readonly secret: string;
      readonly beforeUntil: Date;
    };
    out: Subscription | null;
  };
  'subscription.remove': {
    args: { readonly tenant: string; readonly id: string; readonly owner: Owner };
    out: 'removed' | 'not-found';
  };
  /** By an operator. */
  'subscription.end': {
    args: { readonly id: string; readonly audit: AuditDraft };
    out: ListedSubscription | null;
  };
  /**
   * Hands what happened to the subscriptions that want it, under their next numbers: one commit, in one process at a
   * time. `busy`: another process is at it.
   */
  'subscription.fan-out': {
    args: {
      readonly tenant: string;
      readonly at: Date;
      readonly limit: number;
      readonly most?: { readonly rows: number; readonly tries: number };
      /** What is due is leased in the same commit; null: whoever comes next may do so. */
      readonly claim: ClaimWish | null;
    };
    out:
      | { readonly kind: 'busy' }
      | {
          readonly kind: 'done';
          readonly events: number;
          readonly touched: number;
          readonly isMore: boolean;
          readonly due: readonly Due[];
        };
  };
  /** Leases subscriptions that are due, with what is to be sent. */
  'subscription.claim': {
    args: ClaimWish & { readonly tenant: string; readonly at: Date };
    out: readonly Due[];
  };
  /** Records what is about to be sent. `lost`: somebody else sends it by now, or nobody may. */
  'subscription.begin': {
    args: {
      readonly lease: SendLease;
      readonly at: Date;
      readonly records: NotificationRecords;
    };
    out: 'begun' | 'lost';
  };
  /** The same for events that an app reads again. */
  'subscription.record': {
    args: { readonly tenant: string; readonly at: Date; readonly records: NotificationRecords };
    out: null;
  };
  'subscription.settle': {
    args: { readonly lease: SendLease; readonly at: Date; readonly outcome: SendOutcome };
    out: 'more' | 'done' | 'lost';
  };
  /** At a start, on a database that one process has to itself: nobody else sends. */
  'subscription.free': { args: { readonly tenant: string; readonly at: Date }; out: null };
  /** Events before then are forgotten, and subscriptions that have been off or in error since. Gives how many events. */
  'subscription.forget': {
    args: { readonly tenant: string; readonly at: Date; readonly before: Date; readonly limit: number };
    out: number;
  };
};

export type SubscriptionReads = {
  /** Whether anything is to be handed out, and whether anything is to be sent. */
  'subscription.look': {
    args: { readonly tenant: string; readonly at: Date };
    out: { readonly isQueued: boolean; readonly isDue: boolean };
  };
  'subscription.get': {
    args: { readonly tenant: string; readonly id: string; readonly owner: Owner };
    out: Subscription | null;
  };
  /** Of one owner, in the order of their making, behind this one. */
  'subscription.list-own': {
    args: { readonly tenant: string; readonly owner: Owner; readonly after: number; readonly limit: number };
    out: readonly Subscription[];
  };
  /** Numbers from and to, both included. */
  'subscription.events': {
    args: {
      readonly tenant: string;
      readonly seq: number;
      readonly from: number;
      readonly to: number;
      readonly limit: number;
    };
    out: readonly NumberedEvent[];
  };
  /** Those of these patients who have a confirmed link now; by keyed hashes in hexadecimal digits. */
  'subscription.linked': {
    args: { readonly tenant: string; readonly patients: readonly string[] };
    out: readonly string[];
  };
  /** Newest first, below this place. */
  'subscription.list': {
    args: {
      readonly tenant: string;
      readonly before: number | null;
      readonly limit: number;
      readonly state: SubscriptionState | null;
      readonly clientId: string | null;
    };
    out: readonly ListedSubscription[];
  };
  /** How many there are; `failing`: those whose endpoint did not take the last notification. */
  'subscription.count': {
    args: { readonly tenant: string };
    out: { readonly byState: Readonly<Record<SubscriptionState, number>>; readonly failing: number };
  };
  'subscription.show': { args: { readonly tenant: string; readonly id: string }; out: ListedSubscription | null };
};

export const subscriptionSet: CommandSet<SubscriptionWrites, SubscriptionReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  soon: ['subscription.fan-out', 'subscription.claim'],
  // No answer that is kept tells of subscriptions.
  adding: [
    'subscription.fan-out',
    'subscription.claim',
    'subscription.begin',
    'subscription.settle',
    'subscription.record',
    'subscription.forget',
  ],
  postgres: () => import('./commands/all.ts'),
};
