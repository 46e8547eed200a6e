const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** In an address a plus sign may have become a blank. */
export function parseInstant(text: string): Date | null {
  const instant = text.replace(' ', '+');
  const at = INSTANT.test(instant) ? new Date(instant) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}

/** An EHR may not know `_since`. What does not say when it was is not left out. */
export function isSince(since: Date | null, at: unknown): boolean {
  const atMs = since === null || typeof at !== 'string' ? NaN : new Date(at).getTime();
  return since === null || Number.isNaN(atMs) || atMs >= since.getTime();
}
