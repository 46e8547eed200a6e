import type { StuckState } from './state.ts';

/** Parked or quarantined deliveries of one reason and fault. */
export interface StuckGroup {
  readonly state: StuckState;
  readonly reason: string;
  readonly faultCode: string | null;
  readonly count: number;
  /** False where there are more than were counted. */
  readonly isExact: boolean;
  /** When the first and the last of them came. */
  readonly oldestAt: number;
  readonly newestAt: number;
  /** Ids of the newest. */
  readonly examples: readonly string[];
}

export type StuckName = Pick<StuckGroup, 'state' | 'reason' | 'faultCode'>;

/** Those of such a group that have something in common. */
interface StuckPart {
  readonly count: number;
  readonly oldestAt: number;
  readonly newestAt: number;
  /** The id of the newest. */
  readonly example: string;
}

/** The deliveries of one user in such a group. */
export interface StuckUser extends StuckPart {
  readonly userIndex: string;
  readonly userId: string | null;
}

/** The deliveries of such a group that wait for one word, which is named by its keyed hash in hexadecimal digits. */
export interface StuckWord extends StuckPart {
  readonly wordId: string;
}
