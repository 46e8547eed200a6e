/** The life of a delivery. docs/delivery.md tells what each state means. */
export const STATES = [
  'received',
  'queued',
  'sending',
  'unknown',
  'delivered',
  'superseded',
  'duplicate',
  'parked',
  'quarantined',
  'discarded',
] as const;
export type State = (typeof STATES)[number];

export const PARK_REASONS = [
  'unlinked',
  'not-ready',
  'unmapped',
  'not-profile',
  'implausible',
  'patient',
  'conflict',
  'ambiguous',
  'rejected',
  'exhausted',
  'suspicious',
  'identity',
] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/**
 * Why a delivery is not done although it is `delivered`: a part of it waits for mapping data or for a person, and was
 * left out.
 */
export const LEFT_OUT = 'left-out';
/** Why nothing of a delivery is in the chart although it is `delivered`: the EHR takes none of what it says. */
export const NOT_TAKEN = 'not-taken';

/**
 * `failed`: the gateway itself failed over it, which is a bug of ours. `erased`: of a user who was erased, so its bytes
 * were not kept.
 */
export const QUARANTINE_REASONS = [
  'not-json',
  'shape',
  'not-r4',
  'not-profile',
  'identity',
  'foreign-client',
  'version-conflict',
  'erased',
  'failed',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/**
 * Which state may follow which. What is missing here cannot happen: every change is checked against it inside its
 * command.
 */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  received: ['queued', 'delivered', 'superseded', 'duplicate', 'parked', 'quarantined'],
  queued: ['sending', 'superseded', 'parked', 'quarantined'],
  sending: ['delivered', 'queued', 'unknown', 'parked'],
  unknown: ['delivered', 'queued', 'parked'],
  parked: ['received', 'queued', 'superseded', 'discarded'],
  quarantined: ['received', 'superseded', 'discarded'],
  // A re-link takes it out of the chart of the one patient and brings it to that of the other.
  delivered: ['queued'],
  superseded: [],
  duplicate: [],
  discarded: [],
};

export const mayFollow = (from: State, to: State): boolean => NEXT[from].includes(to);

/** A newer version of the same document takes the place of these. One that is being sent is not interrupted. */
export const REPLACEABLE: readonly State[] = (['queued', 'parked'] as const).filter((state) =>
  mayFollow(state, 'superseded'),
);
/** What waits for a person. */
export const STUCK = ['parked', 'quarantined'] as const satisfies readonly State[];
export type StuckState = (typeof STUCK)[number];
/** A person may have these processed again from their stored bytes. */
export const REPLAYABLE: readonly State[] = STATES.filter((state) => mayFollow(state, 'received'));
/** These wait for nothing, so that their bytes need not be kept; whoever wants one again after that is told so. */
export const TERMINAL: readonly State[] = ['delivered', 'superseded', 'duplicate', 'discarded'];
export const DISCARDABLE: readonly State[] = STATES.filter((state) => mayFollow(state, 'discarded'));
