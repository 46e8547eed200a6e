import type { AuditDraft } from '../audit/index.ts';
import type { Clock } from '../kernel/index.ts';

/** A page that shows somebody, and to whom. */
export interface Showing {
  readonly page: 'picker' | 'encounters' | 'consent';
  /** Ids of the patients. */
  readonly patients: readonly string[];
  readonly account: string;
  readonly client: string;
  readonly requestId: string;
}

/**
 * Whom a page shows is in the audit before anybody sees it, like every other look at a patient. False: it could not be
 * put there.
 */
export type RecordShown = (showing: Showing) => Promise<boolean>;

const ACTS = {
  picker: { type: 'fhir.search', action: 'E', interaction: 'search-type', resourceType: 'Patient' },
  encounters: { type: 'fhir.search', action: 'E', interaction: 'search-type', resourceType: 'Encounter' },
  consent: { type: 'fhir.read', action: 'R', interaction: 'read', resourceType: 'Patient' },
} as const satisfies Record<Showing['page'], Partial<AuditDraft>>;

export function makeRecordShown(deps: {
  readonly tenant: string;
  readonly audit: (...drafts: readonly AuditDraft[]) => Promise<boolean>;
  readonly clock: Clock;
}): RecordShown {
  return ({ page, patients, account, client, requestId }) => {
    const act = ACTS[page];
    const draft: AuditDraft = {
      ...act,
      at: deps.clock.now(),
      tenant: deps.tenant,
      requestId,
      outcome: '0',
      why: page,
      actor: account,
      client,
      ...(page === 'encounters' ? {} : { count: patients.length }),
    };
    const sealed = (id: string): NonNullable<AuditDraft['toSeal']> =>
      act.resourceType === 'Patient' ? { chart: id, resourceId: id } : { chart: id };
    return deps.audit(...(patients.length === 0 ? [draft] : patients.map((id) => ({ ...draft, toSeal: sealed(id) }))));
  };
}
