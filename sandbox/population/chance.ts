/*
 * Chance that is the same each time: a number depends on what it is asked for, never on what was asked before. So days
 * may be asked for in any order, and one more source changes nothing of the others.
 */

const mix = (state: number, part: number): number => {
  let x = Math.imul(state ^ part, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
};

function hashText(text: string): number {
  let x = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) x = Math.imul(x ^ text.charCodeAt(i), 0x01000193);
  return x >>> 0;
}

export type ChancePart = number | string;

/** One number for all of the parts, to be used as a part itself. */
export function hashOf(parts: readonly ChancePart[]): number {
  let state = 0x9e3779b9;
  for (const part of parts) state = mix(state, typeof part === 'string' ? hashText(part) : part) + 0x9e3779b9;
  return mix(state, state >>> 15);
}

/** From 0 to below 1. */
export const unitOf = (...parts: readonly ChancePart[]): number => hashOf(parts) / 0x1_0000_0000;

export const within = (unit: number, low: number, high: number): number => low + unit * (high - low);

export interface Chance {
  unit(): number;
  between(low: number, high: number): number;
  /** About 0, mostly within 1, never beyond 3. */
  normal(): number;
  happens(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** A row of numbers for one purpose. */
export function makeChance(...parts: readonly ChancePart[]): Chance {
  let state = hashOf(parts);
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    unit,
    between: (low, high) => within(unit(), low, high),
    normal: () => (unit() + unit() + unit() + unit() - 2) * 1.5,
    happens: (probability) => unit() < probability,
    pick: (list) => list[Math.floor(unit() * list.length)] ?? list[0],
  };
}

/** From 0 to below 1, of two numbers alone. */
export const unitAt = (key: number, at: number): number =>
  mix(mix(key, at) + 0x9e3779b9, at ^ (key >>> 7)) / 0x1_0000_0000;

/** From -1 to 1, smooth over days: a day is like the day before it. Turns about every `period` days. */
export function sway(day: number, period: number, key: number): number {
  const knot = Math.floor(day / period);
  const along = (1 - Math.cos((day / period - knot) * Math.PI)) / 2;
  return (unitAt(key, knot) * (1 - along) + unitAt(key, knot + 1) * along) * 2 - 1;
}
