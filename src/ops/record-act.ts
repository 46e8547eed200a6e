import type { AuditDraft, AuditReads, AuditWrites } from '../audit/index.ts';
import type { Ask, Clock, Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';

/** Puts an act of the operator into the audit. Asked before the answer: who saw what is recorded, or nothing is shown. */
export type RecordAct = (
  ask: Ask,
  act: Pick<AuditDraft, 'action' | 'outcome' | 'why' | 'deliveryId' | 'linkId' | 'count' | 'toSeal'>,
) => Promise<Result<null>>;

export const makeRecordAct =
  (deps: { readonly tenant: string; readonly audit: Operate<AuditWrites, AuditReads>; readonly clock: Clock }): RecordAct =>
  ({ requestId }, act) =>
    deps.audit.write('audit.append', {
      at: deps.clock.now(),
      type: 'admin',
      tenant: deps.tenant,
      requestId,
      actor: 'operator',
      ...act,
    });
