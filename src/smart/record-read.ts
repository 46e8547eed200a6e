import type { AuditDraft, AuditReads, AuditWrites, ToSeal } from '../audit/index.ts';
import type { Clock, Result, Span } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { Caller } from './caller.ts';

export interface ReadAct {
  readonly type: 'fhir.read' | 'fhir.search' | 'fhir.validate' | 'fhir.subscribe' | 'fhir.export' | 'fhir.deny';
  readonly interaction: string;
  readonly resourceType: string;
  readonly outcome: AuditDraft['outcome'];
  /** What it did, where the type does not say it. */
  readonly action?: AuditDraft['action'];
  readonly why?: string;
  readonly id?: string;
  /** Whose records they are, by the EHR's ids; one record is kept for each. */
  readonly patients?: readonly string[];
  /** Whose audit was looked at, where an MRN says it. */
  readonly mrn?: NonNullable<ToSeal['patient']>;
  readonly query?: string;
  readonly count?: number;
  /** Of a file of an export: which export. */
  readonly to?: string;
}

/** Resolves once the record is on stable storage. A fault: it is not, and so nothing may be shown. */
export type RecordRead = (act: ReadAct, caller: Caller) => Promise<Result<null>>;

/** Who read what of whom. What leads to a person is hashed and sealed by whoever writes it down. */
export function makeRecordRead(deps: {
  readonly tenant: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly clock: Clock;
}): RecordRead {
  const { audit, clock, tenant } = deps;

  async function watched(act: ReadAct, caller: Caller, span: Span): Promise<Result<null>> {
    const step = span.begin();
    const kept = await record(act, caller);
    step.end('read.audit', {
      'chartgate.interaction': act.interaction,
      'chartgate.resource.type': act.resourceType,
      ...(act.count === undefined ? {} : { 'chartgate.count': act.count }),
      ...(kept.ok ? {} : { 'error.type': kept.fault.code }),
    });
    return kept;
  }

  const record: RecordRead = ({ type, id, patients = [], mrn, query, ...act }, { grant, requestId }) => {
    const draftOf = (chart: string | undefined): AuditDraft => ({
      ...act,
      at: clock.now(),
      type,
      tenant,
      requestId,
      action: act.action ?? (type === 'fhir.read' ? 'R' : 'E'),
      client: grant.clientId,
      issuer: grant.issuer,
      tokenId: grant.tokenId,
      toSeal: {
        subject: grant.subject,
        ...(chart === undefined ? {} : { chart }),
        ...(mrn === undefined ? {} : { patient: mrn }),
        ...(id === undefined ? {} : { resourceId: id }),
        ...(query === undefined ? {} : { query }),
      },
    });
    const [first, ...more] = patients;
    return more.length === 0
      ? audit.write('audit.append', draftOf(first))
      : audit.write('audit.append-many', patients.map(draftOf));
  };
  return (act, caller) => (caller.span === undefined ? record(act, caller) : watched(act, caller, caller.span));
}
