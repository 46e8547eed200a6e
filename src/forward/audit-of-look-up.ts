import type { AuditDraft } from '../audit/index.ts';
import type { AskedPatient, ResolvedPatient } from '../ehr/index.ts';
import type { Result } from '../kernel/index.ts';

/**
 * That the EHR was asked who has an MRN, and who it said it is: from here on the two names are known to be one
 * person's.
 */
export const auditOfLookUp = (
  { mrnSystem, mrn, requestId, traceId }: AskedPatient,
  found: Result<ResolvedPatient>,
  who: { readonly tenant: string; readonly at: Date },
): AuditDraft => ({
  ...who,
  type: 'ehr.read',
  requestId,
  action: 'E',
  outcome: found.ok ? '0' : '4',
  actor: 'gateway',
  interaction: 'search-type',
  resourceType: 'Patient',
  ...(found.ok ? {} : { why: found.fault.code }),
  ...(traceId === undefined ? {} : { traceId }),
  toSeal: {
    patient: { system: mrnSystem, mrn },
    query: `Patient/_search identifier=${mrnSystem}|${mrn}`,
    ...(found.ok ? { chart: found.value.reference.slice('Patient/'.length) } : {}),
  },
});
