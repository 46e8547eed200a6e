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

/** By name, those with a confirmed link before the others. */
export interface ListedPatients {
  readonly patients: readonly ShownPatient[];
  readonly next: string | null;
  /** Whether all others come on the pages that follow. */
  readonly isAll: boolean;
}

/** Whom a person looks for; empty texts say nothing. */
export interface WantedPatient {
  /** Words, each the beginning of one of a name. */
  readonly name: string;
  /** A whole day. */
  readonly birthDate: string;
  /** A whole MRN. */
  readonly mrn: string;
}
export const ANYBODY: WantedPatient = { name: '', birthDate: '', mrn: '' };

/** The patients whom a token may be about: those with a confirmed link, unless configured wider. */
export interface PatientDirectory {
  list(asked: {
    /** What `next` of the page before said; null for the first page. */
    readonly cursor: string | null;
    readonly wanted: WantedPatient;
    readonly requestId: string;
  }): Promise<Result<ListedPatients>>;
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
