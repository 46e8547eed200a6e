/* What a person looks at later: attempts, what was written, who waits. */

export interface AttemptIssue {
  readonly code: string;
  readonly at: string | null;
}

/** One try to bring a delivery into a chart, or to take it out again, as a person looks at it later. */
export interface ShownAttempt {
  readonly id: string;
  readonly kind: 'deliver' | 'retract';
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null while it is under way; `lost` where nobody ended it. */
  readonly outcome: string | null;
  readonly faultCode: string | null;
  readonly httpStatus: number | null;
  readonly issues: readonly AttemptIssue[];
}

/** A resource that a delivery was the last to write. */
export interface WroteResource {
  readonly resourceType: string;
  /** Null where nobody knows it, or any more. */
  readonly id: string | null;
  readonly versionId: string | null;
  readonly writtenAt: number;
  readonly retractedAt: number | null;
}

/** A lane in which something waits, told by the oldest of it. */
export interface WaitingLane {
  /** Null where nobody may know it, or no link names the patient any more. */
  readonly mrn: string | null;
  readonly kind: 'deliver' | 'retract';
  readonly deliveryId: string;
  readonly receivedAt: number;
  /** How much waits in it. */
  readonly jobs: number;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly faultCode: string | null;
  /** Not before that; null where it is due. */
  readonly nextAt: number | null;
  readonly isLeased: boolean;
  /** False while the document must leave another chart first. */
  readonly isReady: boolean;
}
