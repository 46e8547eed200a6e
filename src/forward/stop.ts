import type { Fault } from '../kernel/index.ts';
import type { Verdict } from '../ehr/index.ts';

/** Why writing ended before everything was written. */
export type Stop =
  | { readonly kind: 'verdict'; readonly verdict: Exclude<Verdict, { kind: 'ok' }> }
  /** Somebody else changed a resource of ours since we wrote it. */
  | { readonly kind: 'conflict'; readonly fault: Fault }
  /** It cannot be known whether an earlier attempt wrote it, and this EHR would take it twice. */
  | { readonly kind: 'ambiguous'; readonly fault: Fault };

/** Of several stops the one that leaves most in doubt: what may have been done goes before what was refused. */
export function graver(a: Stop | null, b: Stop | null): Stop | null {
  const weight = (stop: Stop | null): number => {
    if (stop === null) return 0;
    if (stop.kind !== 'verdict') return stop.kind === 'ambiguous' ? 5 : 2;
    const { verdict } = stop;
    if (verdict.kind === 'ambiguous') return 5;
    return verdict.kind === 'retry-later' ? (verdict.effect === 'unknown' ? 4 : 3) : 1;
  };
  return weight(b) > weight(a) ? b : a;
}
