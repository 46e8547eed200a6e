const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** A row of numbers as a line of bars, of which `most` has the full height. */
export const barsOf = (counts: readonly number[], most: number): string =>
  counts.map((count) => (count === 0 ? ' ' : (LEVELS[Math.ceil((count / most) * LEVELS.length) - 1] ?? ' '))).join('');
