/** How far a delivery may overtake others. */
export const WINDOW = 16;

/**
 * Which of those that wait goes next. The order of deliveries is not guaranteed, and a consumer that relies on one
 * should find out: so it is any of the first few, the same for the same seed and turn.
 */
export function pickNext(seed: number, turn: number, waiting: number): number {
  let mixed = (seed ^ Math.imul(turn + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  return ((mixed ^ (mixed >>> 16)) >>> 0) % Math.min(WINDOW, waiting);
}
