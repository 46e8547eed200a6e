import type { RememberedPatient } from '../ehr/index.ts';
import type { Ehr, EhrRequest, Sent, WritePlan } from '../ehr/index.ts';
import type { ContentReader } from './content-reader.ts';
import type { LearntHabits } from './learn-habits.ts';
import type { Intent } from './judge-chart.ts';

export interface WriteDeps {
  readonly ehr: Ehr;
  readonly plan: WritePlan;
  readonly patient: {
    readonly urn: string;
    readonly reference: string;
    /** Patients who were merged into this one. */
    readonly via: readonly string[];
    /**
     * How a transaction that writes to the patient sees whether it is still the one; null where that was looked up just
     * now.
     */
    readonly remembered: RememberedPatient | null;
  };
  readonly saidAt: number;
  /** Addresses of what was written before, by the references of the document. */
  readonly known: ReadonlyMap<string, string>;
  /** References to what somebody removed, and which stays so. */
  readonly removed: readonly string[];
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** A person has seen that it cannot be known whether it was written, and wants it written. */
  readonly isApproved: boolean;
  /** `look-only`: the chart is no longer the right one; only what an earlier attempt wrote there is found out. */
  readonly mode: 'write' | 'look-only';
  /** Since when it is in doubt what was written; null where nothing is. */
  readonly doubtAt: number | null;
  /** What attempts of unknown outcome meant to make of a resource. */
  readonly intentsOf: (name: string) => readonly Intent[];
  readonly reader: ContentReader;
  readonly habits: LearntHabits;
  readonly now: () => Date;
  /** One request through the guard of the target. */
  readonly send: (request: EhrRequest) => Promise<Sent>;
}
