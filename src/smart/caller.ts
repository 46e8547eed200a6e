import type { Grant } from '../auth/index.ts';
import type { AbandonSignal } from '../ehr/index.ts';
import type { Log, RequestId } from '../kernel/index.ts';

/** In which request something is asked of the EHR, and until when anybody wants to know. */
export interface Asking {
  readonly requestId: string;
  /** Aborted once whoever asked has left. */
  readonly signal?: AbandonSignal;
}

/** For whom, and in which request, something is looked up. */
export interface Caller extends Asking {
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
}
