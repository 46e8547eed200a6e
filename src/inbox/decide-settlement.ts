import type { Destination, Verdict } from './verdict.ts';
import { decideVersion, type KnownDocument } from './decide-version.ts';
import type { State } from './state.ts';

export interface Settlement {
  readonly to: State;
  readonly reason: string | null;
  /** The place of the delivery that this one repeats. */
  readonly duplicateOf: number | null;
  /** It is now the version that counts; older ones that still wait are out of date. */
  readonly isCurrent: boolean;
}

const become = (to: State, reason: string | null, more: Partial<Settlement> = {}): Settlement => ({
  to,
  reason,
  duplicateOf: null,
  isCurrent: false,
  ...more,
});

/** What a received delivery becomes. `original` has the same content; `known` is what is stored of its document. */
export function decideSettlement(
  seq: number,
  verdict: Verdict,
  original: number | null,
  known: KnownDocument | null,
  destination: Destination,
): Settlement {
  if (original !== null) return become('duplicate', 'same-content', { duplicateOf: original });
  if (verdict.kind === 'quarantine') return become('quarantined', verdict.reason);
  if (verdict.kind === 'handled') return become('delivered', 'notification');
  const trouble = verdict.trouble ?? (destination === 'unlinked' ? 'unlinked' : null);
  const onward: readonly [State, string | null] = trouble === null ? ['queued', null] : ['parked', trouble];
  if (verdict.document === null) return become(...onward);
  switch (decideVersion(seq, verdict.document, known)) {
    case 'older':
      return become('superseded', 'older-version');
    case 'conflict':
      return become('quarantined', 'version-conflict');
    case 'same':
      return become('duplicate', 'same-clinical-content', { duplicateOf: known?.seq ?? null });
    case 'current':
      return become(...onward, { isCurrent: true });
  }
}
