import { readInstant } from '../kernel/index.ts';

/** FHIR's instant has seconds. */
const INSTANT = /T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-])/;

/** A plus sign in a URL may have been decoded as a blank. */
export function parseInstant(text: string): Date | null {
  const instant = text.replace(' ', '+');
  const ms = INSTANT.test(instant) ? readInstant(instant) : null;
  return ms === null ? null : new Date(ms);
}

/** An EHR may not support `_since`. A resource without a time stays in the answer. */
export function isSince(since: Date | null, at: unknown): boolean {
  const atMs = since === null || typeof at !== 'string' ? NaN : new Date(at).getTime();
  return since === null || Number.isNaN(atMs) || atMs >= since.getTime();
}
