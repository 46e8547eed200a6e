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

/** An encounter as the picker shows one. */
export interface ShownEncounter {
  readonly id: string;
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly status: string;
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
  /** Null: there is none of that id, or none of that patient. */
  findEncounter(patient: string, encounter: string, requestId: string): Promise<Result<ShownEncounter | null>>;
  /** The newest that may be chosen. `isAll`: there are no others. */
  encounters(
    patient: string,
    requestId: string,
  ): Promise<Result<{ readonly encounters: readonly ShownEncounter[]; readonly isAll: boolean }>>;
}
