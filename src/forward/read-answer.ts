import { classifyEntries, readLocation, type AddressGuard, type Sent } from '../ehr/index.ts';
import { patientEntry } from './request-items.ts';
import type { Answer, WriteEvent, WriteRequest } from './write-state.ts';

/** What the answer to a request is read with. */
export interface AnswerContext {
  readonly guard: AddressGuard;
  readonly now: Date;
  readonly isToBeSeen: boolean;
  /** The patient who is written to. */
  readonly patient: string;
  /** Whether what the EHR shows of the patient is still the one. */
  readonly isStillPatient: (shown: unknown) => boolean;
}

type Answered = Extract<NonNullable<Sent['exchange']>, { kind: 'answered' }>;

function answerToSingle(exchange: Answered | null, verdict: Sent['verdict'], guard: AddressGuard): Answer {
  const { location, etag = null } = exchange?.headers ?? {};
  return {
    verdict,
    located: location === undefined ? null : readLocation(guard, location),
    etag,
    status: exchange?.status ?? null,
    resource: exchange?.body.kind === 'json' ? exchange.body.value : null,
  };
}

/** What an exchange means for the request that it answers. */
export function readAnswer({ exchange, verdict }: Sent, request: WriteRequest, context: AnswerContext): WriteEvent {
  const answered = exchange?.kind === 'answered' ? exchange : null;
  const httpStatus = answered?.status ?? null;
  const { guard, isToBeSeen } = context;
  if (verdict.kind !== 'ok') {
    // Where it is the patient who is not there, nothing of it was done.
    const isPatient = request.kind === 'bundle' && request.showsPatient;
    if (isPatient && (verdict.kind === 'absent' || verdict.kind === 'gone'))
      return { kind: 'patient-missing', httpStatus };
    return { kind: 'failed', httpStatus, verdict };
  }
  if (request.kind === 'single') {
    const answers = [answerToSingle(answered, verdict, guard)];
    return { kind: 'answered', httpStatus, answers, isToBeSeen, patient: 'not-asked-for' };
  }
  const { entries, showsPatient } = request;
  const asked = [...entries, ...(showsPatient ? [patientEntry(context.patient)] : [])].map((entry) => entry.asked);
  const body = answered?.body.kind === 'json' ? answered.body.value : null;
  const bundle = classifyEntries(asked, body, guard, context.now);
  if (bundle.kind === 'ambiguous') return { kind: 'unreadable', httpStatus, fault: bundle.fault };
  const answers = bundle.entries.slice(0, entries.length);
  if (!showsPatient) return { kind: 'answered', httpStatus, answers, isToBeSeen, patient: 'not-asked-for' };
  return context.isStillPatient(bundle.entries[entries.length]?.resource)
    ? { kind: 'answered', httpStatus, answers, isToBeSeen, patient: 'seen' }
    : { kind: 'patient-moved', httpStatus };
}
