import { fileBeside } from '../kernel/index.ts';
import type { SourceUser } from '../identity/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { ListedPatient, PatientEvent, TimelinePlace } from './patients.ts';

/** `asked`: the patient was given the way and has not gone it yet. `ended`: the source or the provider said so. */
export type ConnectionState = 'asked' | 'connected' | 'ended' | 'revoked';

export interface KnownConnection {
  readonly dataSource: string;
  readonly state: ConnectionState;
  readonly askedAt: number | null;
  readonly changedAt: number;
  /** The last thing that went wrong, in the source's words. */
  readonly failure: { readonly at: number; readonly action: string; readonly message: string } | null;
}

export type RequestKind = 'lab' | 'profile';

/** A document or a profile that was asked for, by the id that its result will name. */
export interface KnownRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly askedAt: number;
  /** The delivery that brought the result; null while it is waited for. */
  readonly deliveryId: string | null;
  readonly arrivedAt: number | null;
}

/** What the source told of a connection. */
export interface ConnectionNews {
  readonly dataSource: string;
  /** Null: it says nothing about whether there is one. */
  readonly state: Exclude<ConnectionState, 'revoked'> | null;
  readonly failure: { readonly action: string; readonly message: string } | null;
}

export interface Enrolment {
  readonly connections: readonly KnownConnection[];
  readonly requests: readonly KnownRequest[];
  readonly revokedAt: number | null;
  /** Deliveries that came after the revocation. */
  readonly late: number;
}

interface Of {
  readonly tenant: string;
  readonly user: SourceUser;
  readonly at: Date;
}

export const ENROL_TABLES = ['enrolled_user', 'source_connection', 'source_request'] as const;
export type EnrolTable = (typeof ENROL_TABLES)[number];

/**
 * The place of the delivery that told of it. Where that has the bytes of one before it, it told of nothing: this is known
 * once it is carried out.
 */
type ToldBy = { readonly deliverySeq?: number };

export type EnrolWrites = {
  /**
   * Which user a patient has, or is about to have: the given one, unless another was put down before it and is not
   * `instead`. Whoever asks at the same time, here or in another process, gets the same.
   */
  'enrol.claim': {
    args: {
      readonly tenant: string;
      readonly mrnSystem: string;
      readonly mrn: string;
      readonly user: SourceUser;
      readonly instead: SourceUser | null;
    };
    out: SourceUser;
  };
  /**
   * News of a connection, of `at`, heard at `heardAt`; what is older than what is known changes nothing. A connection
   * ends a revocation. What is known since later than `heardAt` was put down by a clock that was ahead, and outvotes
   * nothing.
   */
  'enrol.news': { args: Of & ToldBy & { readonly heardAt: Date; readonly news: ConnectionNews }; out: null };
  /** All connections of the user are revoked; what comes from now on is late. */
  'enrol.revoke': { args: Of; out: null };
  /** Asked for. Its result may have come already. */
  'enrol.request': { args: Of & { readonly id: string; readonly kind: RequestKind; readonly mrn: string }; out: null };
  'enrol.arrive': {
    args: Of & ToldBy & { readonly id: string; readonly kind: RequestKind; readonly deliveryId: string };
    out: null;
  };
  'enrol.late': { args: Pick<Of, 'tenant' | 'user'> & ToldBy; out: null };
  /** Forgets a user: its row, connections and requests, and the patients (by keyed hash) for whom it was put down. */
  'enrol.erase': { args: Pick<Of, 'tenant' | 'user'> & { readonly claims: readonly Uint8Array[] }; out: null };
};

export type EnrolReads = {
  'enrol.show': {
    args: { readonly tenant: string; readonly user: SourceUser; readonly limit: number };
    out: Enrolment;
  };
  /** How much there is of a user, table by table; `claims`: the patients, by keyed hash, for whom it was put down. */
  'enrol.held': {
    args: { readonly tenant: string; readonly user: SourceUser };
    out: { readonly held: Readonly<Record<EnrolTable, number>>; readonly claims: readonly Uint8Array[] };
  };
  /** Users whose access was revoked and not given again. */
  'enrol.revoked': { args: { readonly tenant: string; readonly limit: number }; out: readonly SourceUser[] };
  /** Patients with a confirmed link, the last linked first, below this place. */
  'enrol.patients': {
    args: { readonly tenant: string; readonly before: number | null; readonly limit: number };
    out: readonly ListedPatient[];
  };
  /**
   * What happened to a patient, newest first, below these places: deliveries and requests of the users whose last link
   * is to the patient, and every link to it.
   */
  'enrol.timeline': {
    args: {
      readonly tenant: string;
      readonly patient: { readonly mrnSystem: string; readonly mrn: string };
      readonly from: TimelinePlace;
      readonly limit: number;
    };
    out: { readonly events: readonly PatientEvent[]; readonly next: TimelinePlace | null };
  };
  /** Data sources that are connected now, and how many patients with a confirmed link have each. */
  'enrol.data-sources': {
    args: { readonly tenant: string };
    out: readonly { readonly dataSource: string; readonly patients: number }[];
  };
  /** Patients with a confirmed link who have this data source connected, the last linked first, below this place. */
  'enrol.connected-to': {
    args: {
      readonly tenant: string;
      readonly dataSource: string;
      readonly before: number | null;
      readonly limit: number;
    };
    out: readonly { readonly seq: number; readonly mrnSystem: string; readonly mrn: string }[];
  };
  /** Asked for before `before` and not there yet, oldest first. */
  'enrol.overdue': {
    args: { readonly tenant: string; readonly before: number; readonly limit: number };
    out: readonly (KnownRequest & { readonly mrn: string })[];
  };
};

const afterDelivery = ({ deliverySeq = 0 }: ToldBy): number => deliverySeq;

export const enrolSet: CommandSet<EnrolWrites, EnrolReads> = {
  afterPlace: { 'enrol.news': afterDelivery, 'enrol.arrive': afterDelivery, 'enrol.late': afterDelivery },
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
