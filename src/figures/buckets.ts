/** Two for each doubling from one millisecond on; the last holds everything from about twelve days. */
const PER_DOUBLING = 2;
export const BUCKETS = 30 * PER_DOUBLING;

/** The bucket that a duration falls into. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > 1)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(durationMs) * PER_DOUBLING));
}

/** The longest duration that a bucket holds. */
export const boundOf = (bucket: number): number => 2 ** (bucket / PER_DOUBLING);

/**
 * The duration below which this share of the counted ones lies, to within a bucket's width (41 %), never too short.
 * Null where nothing was counted.
 */
export function quantileOf(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const bucket of [...counts.keys()].sort((a, b) => a - b)) {
    seen += counts.get(bucket) ?? 0;
    if (seen >= share * total) return Math.round(boundOf(bucket));
  }
  return null;
}
