import type { LEFT_OUT, NOT_TAKEN, ParkReason } from '../inbox/index.ts';

/** How many more attempts a failure is worth. */
export type Patience = 'few' | 'long';

/**
 * With a reason: a part of the document waits, and was left out, or the EHR takes none of it. With a fault: what a person
 * should know of it all the same.
 */
export type Delivered = {
  readonly kind: 'delivered';
  readonly reason?: typeof LEFT_OUT | typeof NOT_TAKEN;
  readonly faultCode?: string;
};

export type Outcome =
  | Delivered
  /** Back into the lane, until then. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly faultCode: string; readonly patience: Patience }
  | { readonly kind: 'unknown'; readonly afterMs: number; readonly faultCode: string; readonly patience: Patience }
  | { readonly kind: 'park'; readonly reason: ParkReason; readonly faultCode: string | null }
  /** Nothing was tried. */
  | { readonly kind: 'put-back'; readonly afterMs: number };
