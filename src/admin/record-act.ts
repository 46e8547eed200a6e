import type { AuditDraft, AuditReads, AuditWrites, ToSeal } from '../audit/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { ok, type Ask, type Clock, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';

export type Patient = NonNullable<ToSeal['patient']>;

export type Act = Pick<
  AuditDraft,
  'action' | 'outcome' | 'why' | 'reason' | 'deliveryId' | 'linkId' | 'count' | 'toSeal'
> & {
  /** Whose data were seen, where they are several: one record is kept for each. */
  readonly patients?: readonly Patient[];
};
/** Everybody whom an act is about. */
export const patientsOf = ({ patients = [], toSeal }: Act): readonly Patient[] =>
  toSeal?.patient === undefined ? patients : [...patients, toSeal.patient];

/** Who did it, in which request. */
type By = Required<Pick<Ask, 'requestId' | 'caller'>>;

/** A person acts by their roles; what a key may is not told by them. */
export const actorOfCaller = ({ kind, name, roles }: By['caller']) =>
  kind === 'person' ? { actor: name, roles } : { actor: name };

/**
 * Puts an act of a caller into the audit. Asked before the answer: who saw what is recorded, or nothing is shown.
 */
export type RecordAct = (by: By, act: Act) => Promise<Result<null>>;

export const makeRecordAct =
  (deps: {
    readonly tenant: string;
    readonly audit: Operate<AuditWrites, AuditReads>;
    readonly clock: Clock;
  }): RecordAct =>
  (by, { patients = [], ...act }) => {
    const draft: AuditDraft = {
      at: deps.clock.now(),
      type: 'admin',
      tenant: deps.tenant,
      requestId: by.requestId,
      ...actorOfCaller(by.caller),
      ...act,
    };
    return patients.length === 0
      ? deps.audit.write('audit.append', draft)
      : deps.audit.write(
          'audit.append-many',
          patients.map((patient) => ({ ...draft, toSeal: { ...act.toSeal, patient } })),
        );
  };

/**
 * For what shows counts and states and nothing of a patient: recorded, but not waited for, since the operator needs it
 * most when nothing can be written.
 */
export type RecordActLater = (by: By, why: string) => void;

export const makeRecordActLater =
  (deps: {
    readonly tenant: string;
    readonly appendLater: (draft: AuditDraft) => void;
    readonly clock: Clock;
  }): RecordActLater =>
  (by, why) =>
    deps.appendLater({
      at: deps.clock.now(),
      type: 'admin',
      tenant: deps.tenant,
      requestId: by.requestId,
      action: 'R',
      outcome: '0',
      why,
      ...actorOfCaller(by.caller),
    });

/** Those of these patients at whom nobody looks without saying why. */
export const makeRestrictedAmong =
  (deps: { readonly tenant: string; readonly identity: Operate<IdentityWrites, IdentityReads> }) =>
  async (patients: readonly Patient[]): Promise<Result<readonly Patient[]>> => {
    const asked = patients.map(({ system, mrn }) => ({ mrnSystem: system, mrn }));
    const found = await deps.identity.read('identity.restricted-among', { tenant: deps.tenant, patients: asked });
    return found.ok ? ok(found.value.map(({ mrnSystem, mrn }) => ({ system: mrnSystem, mrn }))) : found;
  };
