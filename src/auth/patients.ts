import type { Result } from '../kernel/index.ts';

/** A patient as the picker shows one. */
export interface ShownPatient {
  /** The id at the EHR. */
  readonly id: string;
  readonly mrn: string;
  readonly name: string;
  readonly birthDate: string | null;
  readonly gender: string | null;
}

/** The patients whom a token may be about: those with a confirmed link, unless configured wider. */
export interface PatientDirectory {
  list(asked: {
    /** What `next` of the page before said; null for the first page. */
    readonly cursor: string | null;
    /** A whole MRN, or null for all. */
    readonly mrn: string | null;
    readonly requestId: string;
  }): Promise<Result<{ readonly patients: readonly ShownPatient[]; readonly next: string | null }>>;
  /** Null: there is none, or none that may be chosen. */
  find(id: string, requestId: string): Promise<Result<ShownPatient | null>>;
  /** Whether the encounter exists and is of that patient. */
  hasEncounter(patient: string, encounter: string, requestId: string): Promise<Result<boolean>>;
}
