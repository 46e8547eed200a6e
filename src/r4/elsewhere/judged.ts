import type { Issue } from '../issue.ts';
import type { JsonFault } from '../json/json-fault.ts';
import type { JsonLimits } from '../json/limits.ts';

/**
 * What became of a text that was judged in another thread. The value stays there: to copy it would block as long as to
 * make it.
 */
export type Judged =
  | { readonly kind: 'read'; readonly issues: readonly Issue[]; readonly hasMark: boolean }
  | { readonly kind: 'unreadable'; readonly fault: JsonFault; readonly issues: readonly Issue[] };

export interface Question {
  readonly bytes: Uint8Array;
  readonly limits: Partial<JsonLimits>;
}
