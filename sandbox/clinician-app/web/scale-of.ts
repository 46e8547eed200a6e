import type { Series } from './make-series.ts';

/** At least so much of a value's own size is shown: a tenth of a percent must not look like an illness. */
const SHARE_MIN = 0.05;

/** The values and the range both have room, and a flat line is not drawn along the edge. */
export function scaleOf({ lines, bounds }: Pick<Series, 'lines' | 'bounds'>): [low: number, high: number] {
  const known = [...lines.flatMap(({ values }) => values), bounds?.low ?? null, bounds?.high ?? null].filter(
    (one) => one !== null,
  );
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const least = Math.max(high, -low) * SHARE_MIN || 2;
  const room = Math.max((high - low) * 0.1, (least - (high - low)) / 2);
  return [low - room, high + room];
}
