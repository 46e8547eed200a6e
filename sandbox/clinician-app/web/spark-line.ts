import type { Series } from './make-series.ts';
import { scaleOf } from './scale-of.ts';
import { svg } from './svg.ts';

const WIDTH = 200;
const HEIGHT = 40;
/** So that a point at the edge is drawn whole. */
const EDGE = 3;

/** What the small drawing says, for whoever cannot see it. */
function wordsOf({ times, lines, unit }: Series): string {
  const known = lines.flatMap(({ values }) => values).filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const span = low === high ? `always ${low}` : `lowest ${low}, highest ${high}`;
  return `Trend of ${times.length} ${times.length === 1 ? 'value' : 'values'}: ${span} ${unit}`.trim();
}

/**
 * The chart in small, over the same days and on the same scale: it ends with today, however old the newest value is.
 */
export function sparkLine(series: Series): SVGSVGElement {
  const { times, lines, bounds, shownTime } = series;
  const [from, to] = shownTime;
  const [low, high] = scaleOf(series);
  const x = (time: number): number => EDGE + ((time - from) / (to - from || 1)) * (WIDTH - 2 * EDGE);
  const y = (value: number): number => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const drawing = svg('svg', {
    class: 'spark',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': wordsOf(series),
  });
  if (bounds !== null) {
    const top = bounds.high === null ? 0 : Math.max(0, y(bounds.high));
    const bottom = bounds.low === null ? HEIGHT : Math.min(HEIGHT, y(bounds.low));
    if (bottom > top) drawing.append(svg('rect', { class: 'range', x: 0, y: top, width: WIDTH, height: bottom - top }));
  }
  lines.forEach(({ values }, i) => {
    const points = values.flatMap((value, n) => (value === null ? [] : [[x(times[n] ?? from), y(value)] as const]));
    const last = points.at(-1);
    if (last === undefined) return;
    const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ');
    drawing.append(svg('polyline', { class: `line line-${i % 3}`, points: path }));
    // A line of no length with round ends is a dot, also where the drawing is stretched.
    drawing.append(svg('path', { class: `dot line-${i % 3}`, d: `M${last[0].toFixed(1)},${last[1].toFixed(1)}h0.01` }));
  });
  return drawing;
}
