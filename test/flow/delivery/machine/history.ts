import type { Character, Content } from './program.ts';

/**
 * `n` is everywhere the number of the last write that the EHR had logged, so that what happened can be laid beside its
 * log.
 */
export interface SaidVersion {
  readonly deliveryId: string;
  readonly user: string;
  readonly version: number;
  readonly content: Content;
}

export interface Linked {
  readonly user: string;
  readonly patient: string;
  readonly n: number;
}

/** What a person decided on, as it was shown to them. */
export interface Decided {
  readonly user: string;
  readonly deliveryId: string;
  readonly decision: 'keep-theirs' | 'overwrite';
  /** The names of the resources in conflict. */
  readonly names: readonly string[];
  /** What the document said then. */
  readonly content: Content;
  /**
   * Whether the delivery was delivered thereupon. Else a newer version may have taken its place before, and the
   * decision with it.
   */
  readonly isCarriedOut: boolean;
  readonly n: number;
}

/**
 * Everything that was done from outside, but for what a clinician did: that is in the EHR's log. Nothing in here was
 * asked of the gateway, except what it shows to a person.
 */
export interface History {
  readonly character: Character;
  readonly said: readonly SaidVersion[];
  readonly links: readonly Linked[];
  readonly decided: readonly Decided[];
  /** Decisions that the gateway did not take, though it had asked for them. */
  readonly refused: readonly string[];
  /** Whether an answer can have been lost: a fault was laid, or the gateway was stopped. */
  readonly isLossy: boolean;
}

/** Where a delivery stands at the end, as the admin API shows it. */
export interface Standing {
  readonly state: string;
  readonly reason: string | null;
  readonly conflicts?: readonly { readonly name: string }[];
}
