import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { PersonFacts } from './facts.ts';

/** What is known of the Patients that have one MRN: mostly one, none where the EHR has none or was not asked yet. */
export interface PersonRow {
  /** The keyed hash of the MRN, in hexadecimal digits. */
  readonly mrnIndex: string;
  readonly version: number;
  readonly facts: readonly PersonFacts[];
}

export interface DuePerson {
  readonly mrnIndex: string;
  readonly mrn: string;
  /** Of what was known when the EHR was asked. */
  readonly version: number;
}

/** What the EHR said of an MRN that it was asked for. */
export interface ReadPerson {
  readonly mrnIndex: string;
  readonly version: number;
  readonly facts: readonly PersonFacts[];
}

export type PersonWrites = {
  /** Takes those who are to be read from the EHR next, and leaves them to whoever asks for so long. */
  'persons.claim': {
    args: { readonly tenant: string; readonly atMs: number; readonly leaseMs: number; readonly limit: number };
    out: readonly DuePerson[];
  };
  /**
   * Keeps what the EHR said. Of a patient whose link has ended meanwhile nothing is kept; what became known meanwhile
   * stays, and the EHR is asked again when the lease is over. A doubt stays. `leasedUntilMs`: when that is.
   */
  'persons.put': {
    args: { readonly tenant: string; readonly read: readonly ReadPerson[] } & {
      readonly dueAtMs: number;
      readonly leasedUntilMs: number;
    };
    out: null;
  };
  /** Keeps what the EHR said of one Patient, where somebody happened to read it. */
  'persons.notice': {
    args: { readonly tenant: string; readonly mrnSystem: string; readonly mrns: readonly string[] } & {
      readonly facts: PersonFacts;
    };
    out: null;
  };
  /** What is known of these is not what the EHR says: it is asked again soon. */
  'persons.doubt': { args: { readonly tenant: string; readonly mrnIndexes: readonly string[] }; out: null };
  /** Removes what tells only that a link has ended, once every process has followed it. */
  'persons.sweep': { args: { readonly tenant: string; readonly beforeMs: number }; out: null };
};

export type PersonReads = {
  /** The number of the last change, and how many patients there are. */
  'persons.state': { args: { readonly tenant: string }; out: { readonly version: number; readonly count: number } };
  /** All of them, in the order of their hashes, behind this one. */
  'persons.walk': {
    args: { readonly tenant: string; readonly after: string | null; readonly limit: number };
    out: readonly PersonRow[];
  };
  /** What has changed since, in the order of the changes; of one change behind this hash. */
  'persons.since': {
    args: {
      readonly tenant: string;
      readonly version: number;
      readonly mrnIndex: string | null;
      readonly limit: number;
    };
    out: readonly PersonRow[];
  };
  'persons.is-due': { args: { readonly tenant: string; readonly atMs: number }; out: boolean };
};

export const personSet: CommandSet<PersonWrites, PersonReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  inOneLine: true,
  soon: ['persons.claim'],
  postgres: () => import('./commands/all.ts'),
};
