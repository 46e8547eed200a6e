import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/index.ts';
import type { AuditDraft } from './record.ts';

/** Above this many a second, refusals share one record that holds their exact number. */
const EACH_PER_SECOND = 100;
const WINDOW_MS = 1_000;

export interface Reject {
  readonly requestId: string;
  readonly why: string;
  readonly remoteAddress: string;
}

/** Tells addresses apart without telling them. */
export const hashAddress = (pseudonymKey: Uint8Array, remoteAddress: string): string =>
  createHmac('sha256', pseudonymKey).update(`address\0${remoteAddress}`).digest('base64url').slice(0, 22);

/** An attacker may make us refuse without end; the audit tells of every refusal and does not grow with them. */
export function makeRecordReject(deps: {
  /** What is refused. */
  readonly as: Pick<AuditDraft, 'type' | 'action'>;
  readonly append: (draft: AuditDraft) => void;
  readonly tenant: string;
  readonly pseudonymKey: Uint8Array;
  readonly clock: Clock;
}) {
  let windowFrom = -Infinity;
  let count = 0;
  let shared = 0;
  let timer: NodeJS.Timeout | undefined;

  const base = (requestId: string) =>
    ({ at: deps.clock.now(), ...deps.as, tenant: deps.tenant, requestId, outcome: '8' }) as const;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (shared === 0) return;
    deps.append({ ...base('(several)'), why: 'more-than-a-hundred-a-second', count: shared });
    shared = 0;
  }

  return {
    record({ requestId, why, remoteAddress }: Reject): void {
      const now = deps.clock.monotonicMs();
      if (now - windowFrom >= WINDOW_MS) {
        flush();
        windowFrom = now;
        count = 0;
      }
      count += 1;
      if (count > EACH_PER_SECOND) {
        shared += 1;
        timer ??= setTimeout(flush, WINDOW_MS).unref();
        return;
      }
      deps.append({ ...base(requestId), why, addressHash: hashAddress(deps.pseudonymKey, remoteAddress) });
    },
    flush,
  };
}

export type RecordReject = ReturnType<typeof makeRecordReject>;
