import { ok, type Result } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { LeftOut } from './check-page.ts';
import type { RecordRead } from './record-read.ts';

/**
 * Puts into the audit what an answer about a patient does not show. A fault: it is not there, and so nothing may be
 * shown.
 */
export type RecordLeftOut = (
  leftOut: readonly LeftOut[],
  patient: string | null,
  caller: Caller,
) => Promise<Result<null>>;

/** One record for each type and reason, so that the audit does not grow with what an EHR makes up. */
export function makeRecordLeftOut(record: RecordRead): RecordLeftOut {
  return async (leftOut, patient, caller) => {
    const groups = Map.groupBy(leftOut, ({ type, because }) => `${type} ${because}`);
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const { type, id, because } = first;
      const count = group.length;
      caller.log[because === 'not-asked' ? 'warn' : 'info']('read.left-out', { reason: because, count });
      const kept = await record(
        {
          type: 'fhir.deny',
          interaction: 'search-type',
          resourceType: type,
          outcome: '4',
          why: `left-out:${because}`,
          count,
          ...(count === 1 ? { id } : {}),
          ...(patient === null ? {} : { patients: [patient] }),
        },
        caller,
      );
      if (!kept.ok) return kept;
    }
    return ok(null);
  };
}
