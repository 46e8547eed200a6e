import type { Grant } from '../auth/index.ts';
import type { Log, RequestId } from '../kernel/index.ts';

/** For whom, and in which request, something is looked up. */
export interface Caller {
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
}
