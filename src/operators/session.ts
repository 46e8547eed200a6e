import type { FactorKind } from './operator.ts';

/** `factor`: the second one is still to come. `enrol`: one must be added first. */
export type Stage = 'factor' | 'enrol' | 'signed-in';

export interface Session {
  readonly id: string;
  readonly operatorId: string;
  readonly stage: Stage;
  /** What proved the person beside the password. A provider sees to that itself. */
  readonly factor: FactorKind | 'none' | 'provider';
  readonly wrongTries: number;
  readonly madeAtMs: number;
  readonly seenAtMs: number;
  /** When the person last proved who they are by the strongest means that they have. */
  readonly provedAtMs: number | null;
  readonly expiresAtMs: number;
  /** What the browser calls itself, for whoever looks through their sessions. */
  readonly agent: string;
}

const MINUTE = 60_000;
/** After so long without a person at it, a session shows nothing of a patient until the password is given again. */
export const IDLE_MS = 15 * MINUTE;
export const SESSION_MS = 12 * 60 * MINUTE;
/** How long a session may wait for its second factor. */
export const HALF_SESSION_MS = 10 * MINUTE;
/** How long a second proof is good for what asks for one. */
export const PROOF_MS = 5 * MINUTE;
/** What was seen less long ago is not written anew. */
export const SEEN_EVERY_MS = MINUTE;
/** Wrong codes and passwords inside one session before it ends. */
export const WRONG_TRIES_MAX = 5;
