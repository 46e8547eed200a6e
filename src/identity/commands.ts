import type { Actor } from '../audit/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';

export const LINK_STATUSES = ['proposed', 'confirmed', 'revoked'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Who changes a link, and when. */
export interface LinkAct extends Actor {
  readonly tenant: string;
  readonly at: Date;
  readonly requestId: string;
}

/** A source user: a user id means nothing without its client. */
export interface SourceUser {
  readonly client: string;
  readonly user: string;
}

/** What is known of a user whose row this transaction holds. */
export interface LockedUser {
  readonly index: Buffer;
  /** Deliveries of the user are still on their way to where its link says: what arrives waits behind them. */
  readonly isUnsettled: boolean;
}

export interface WantedLink extends SourceUser {
  /** The id of the link, should a new one be made. */
  readonly id: string;
  readonly mrnSystem: string;
  readonly mrn: string;
  readonly status: 'proposed' | 'confirmed';
  /** Null: nothing is said; what a proposal said stays. */
  readonly evidence: string | null;
}

/** What the other commands of a transaction need to know of a link. */
export interface LinkHead {
  readonly seq: number;
  readonly id: string;
  readonly status: LinkStatus;
  readonly mrnIndex: Uint8Array;
}

/** What becomes of what was charted through a link that is revoked: it stays, or is withdrawn. */
export const CHARTED = ['keep', 'retract'] as const;
export type Charted = (typeof CHARTED)[number];

/** `changed`: the user was linked to another patient before. */
export type LinkChange = 'proposed' | 'confirmed' | 'changed' | 'revoked' | 'unchanged';

export interface ChangedLink {
  readonly change: LinkChange;
  readonly link: LinkHead;
}

export interface ShownLink {
  readonly seq: number;
  readonly id: string;
  readonly clientUuid: string;
  readonly userId: string;
  readonly mrn: string;
  readonly status: LinkStatus;
  readonly evidence: string;
  readonly actor: string;
  readonly madeAt: number;
  readonly changedAt: number;
}

export interface LinkFilter {
  readonly tenant: string;
  readonly status: LinkStatus | null;
  readonly user: SourceUser | null;
  readonly patient: { readonly mrnSystem: string; readonly mrn: string } | null;
  /** Links below this place in the order of their making; newest first. */
  readonly before: number | null;
  readonly limit: number;
}

/** A patient at whom nobody looks without saying why. */
export interface RestrictedPatient {
  readonly seq: number;
  readonly mrn: string;
  readonly actor: string;
  readonly madeAt: number;
}

type Patient = { readonly mrnSystem: string; readonly mrn: string };

export type IdentityWrites = {
  /** `unchanged`: it was so already. */
  'identity.restrict': {
    args: LinkAct & { readonly patient: Patient; readonly to: 'restricted' | 'open'; readonly reason: string | null };
    out: 'changed' | 'unchanged';
  };
};

export type IdentityReads = {
  'identity.list': { args: LinkFilter; out: readonly ShownLink[] };
  /** Whether the deliveries of the user are still on their way to where its link says. */
  'identity.is-unsettled': { args: { readonly tenant: string; readonly user: SourceUser }; out: boolean };
  /** Whether any of these patients has a confirmed link. */
  'identity.is-linked': {
    args: {
      readonly tenant: string;
      readonly patients: readonly { readonly mrnSystem: string; readonly mrn: string }[];
    };
    out: boolean;
  };
  /** The users whose confirmed link is to this patient, by their keyed hashes in hexadecimal digits. */
  'identity.users-of': {
    args: { readonly tenant: string; readonly patient: Patient };
    out: readonly string[];
  };
  /** The patients to whom these users have a confirmed link; the others are left out. */
  'identity.patients-of': {
    args: { readonly tenant: string; readonly users: readonly string[] };
    out: readonly { readonly user: string; readonly mrnSystem: string; readonly mrn: string }[];
  };
  /** Those of these patients who are restricted. */
  'identity.restricted-among': {
    args: { readonly tenant: string; readonly patients: readonly Patient[] };
    out: readonly Patient[];
  };
  /** Restricted patients below this place; newest first. */
  'identity.restricted': {
    args: { readonly tenant: string; readonly before: number | null; readonly limit: number };
    out: readonly RestrictedPatient[];
  };
  /** What asking for each of these links would change. */
  'identity.foresee': {
    args: { readonly tenant: string; readonly wanted: readonly WantedLink[] };
    out: readonly LinkChange[];
  };
};

export const identitySet: CommandSet<IdentityWrites, IdentityReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
