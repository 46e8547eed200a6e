import type { Grant } from '../auth/index.ts';
import type { Log, RequestId } from '../kernel/index.ts';

/** In which request something is asked of the EHR, and until when anybody wants to know. */
export interface Asking {
  readonly requestId: string;
  /** Aborted once whoever asked has left. */
  readonly signal?: AbortSignal;
}

/** For whom, and in which request, something is looked up. */
export interface Caller extends Asking {
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
}
