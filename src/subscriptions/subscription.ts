import type { StandingGrant } from '../auth/index.ts';
import type { EventItem, EventKind } from '../events/index.ts';
import type { Filters } from './match.ts';

export const CONTENTS = ['empty', 'id-only', 'full-resource'] as const;
export type Content = (typeof CONTENTS)[number];

/** As R4 names them. `requested`: its endpoint has not answered the handshake yet. */
export const SUBSCRIPTION_STATES = ['requested', 'active', 'error', 'off'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** A secret by which notifications are signed, until then. */
export interface SigningSecret {
  /** `whsec_` and base64. */
  readonly value: string;
  /** Null: as long as no other takes its place. */
  readonly untilMs: number | null;
}

/** What is sealed: where notifications go, with what, and on whose authority. */
export interface Settings {
  readonly endpoint: string;
  /** `Name: value`, as the app gave them. */
  readonly headers: readonly string[];
  /** The first one signs; the others sign beside it for a time. */
  readonly secrets: readonly SigningSecret[];
  /** The filters as the app wrote them. */
  readonly criteria: readonly string[];
  readonly reason: string;
  readonly payload: string;
  readonly heartbeatMs: number | null;
  readonly timeoutMs: number;
  readonly countMax: number;
  readonly grant: StandingGrant;
  /** The patients of the token's context, by keyed hashes in hexadecimal digits. */
  readonly contextPatients: readonly string[];
}

export interface Subscription {
  readonly seq: number;
  readonly id: string;
  readonly clientId: string;
  readonly kind: EventKind;
  readonly filters: Filters;
  readonly patients: 'any' | 'named';
  readonly content: Content;
  readonly state: SubscriptionState;
  /** Why it is in `error` or `off`: a word of ours. */
  readonly because: string | null;
  readonly settings: Settings;
  readonly madeAt: number;
  readonly changedAt: number;
  readonly endAt: number | null;
  /** The number of the newest event, and of the newest that the endpoint has taken. */
  readonly lastNumber: number;
  readonly sentNumber: number;
  readonly sentAt: number | null;
  readonly failures: number;
  readonly failingSince: number | null;
}

/** One event under its number. */
export interface NumberedEvent {
  readonly number: number;
  readonly atMs: number;
  /** In hexadecimal digits. */
  readonly patient: string;
  /** Null: what it was about was erased. */
  readonly item: EventItem | null;
}
