import { append, type AuditDraft } from '../../audit/index.ts';
import type { CommandContext, Program } from '../../store/index.ts';

/** The record of an act, also of one that found nothing to change. */
export const auditChange = (context: CommandContext, audit: AuditDraft, changed: number): Program<void> =>
  append(context, [changed === 1 ? audit : { ...audit, outcome: '4' }]);
