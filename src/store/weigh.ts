/** What the arguments weigh: their bytes and texts, one level deep, which is where the large ones are. */
export function weigh(args: unknown): number {
  if (typeof args !== 'object' || args === null) return 64;
  let sum = 128;
  for (const value of Object.values(args as Record<string, unknown>)) {
    if (value instanceof Uint8Array) sum += value.byteLength;
    else if (typeof value === 'string') sum += value.length;
  }
  return sum;
}
