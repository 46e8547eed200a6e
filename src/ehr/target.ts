import type { WritePlan } from './choose-plan.ts';
import type { EhrRequest } from './exchange.ts';
import type { Ehr, Sent } from './open-ehr.ts';
import type { Mrn, ResolvedPatient, ResolvePatient } from './resolve-patient.ts';

/** The EHR as it is known now. */
export interface Target {
  readonly ehr: Ehr;
  readonly plan: WritePlan;
  readonly resolvePatient: ResolvePatient;
  /** The reference that resolving would give without asking anybody; null where it would ask. */
  readonly rememberedPatient: (mrn: Mrn) => string | null;
  /** Of a patient who was looked up a while ago; null where transactions do not show who it is. */
  readonly rememberedAs: ((patient: ResolvedPatient, mrn: Mrn) => RememberedPatient) | null;
  readonly send: (request: EhrRequest) => Promise<Sent>;
}

/** A patient who was looked up a while ago. */
export interface RememberedPatient {
  /** Whether what the EHR shows of the patient is still the one. */
  isStill(shown: unknown): boolean;
  forget(): void;
}
