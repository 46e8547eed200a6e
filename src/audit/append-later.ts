import { faultFields, safeError, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { AuditReads, AuditWrites } from './commands.ts';
import type { AuditDraft } from './record.ts';

/**
 * For what has happened already and shows nobody anything, such as a refusal: not waited for, and told to the log if it
 * is lost.
 */
export const makeAppendLater =
  (audit: Operate<AuditWrites, AuditReads>, log: Log) =>
  (draft: AuditDraft): void => {
    audit.write('audit.append', draft).then(
      (done) => {
        if (!done.ok) log.error('audit.lost', { ...faultFields(done.fault), count: draft.count ?? 1 });
      },
      (thrown: unknown) => log.error('audit.lost', { count: draft.count ?? 1, error: safeError(thrown) }),
    );
  };
