import type { Grant } from '../auth/index.ts';
import type { AbandonSignal } from '../ehr/index.ts';
import type { Log, RequestId, Span } from '../kernel/index.ts';

/** In which request something is asked of the EHR, and until when anybody wants to know. */
export interface Asking {
  readonly requestId: string;
  /** Aborted once whoever asked has left. */
  readonly signal?: AbandonSignal;
  /** Of the request, where somebody watches it. */
  readonly span?: Span;
}

/** For whom, and in which request, something is looked up. */
export interface Caller extends Asking {
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
}
