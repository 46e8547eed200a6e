import type { makeRecordReject } from '../audit/index.ts';

/** Who asked, where that is known. */
export interface Asker {
  readonly requestId: string;
  readonly remoteAddress: string;
}

/** Puts a refusal with its reason into the audit, which does not grow with their number. */
export type RecordDenial = (why: string, asker: Asker | undefined) => void;

export const makeRecordDenial =
  (rejects: Pick<ReturnType<typeof makeRecordReject>, 'record'>): RecordDenial =>
  (why, asker) =>
    rejects.record({ why, requestId: asker?.requestId ?? '(unknown)', remoteAddress: asker?.remoteAddress ?? '' });
