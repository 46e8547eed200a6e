import { ok, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { quantileOf } from './buckets.ts';
import {
  COUNTED,
  HOUR_MS,
  MINUTE_MS,
  REFUSALS,
  TIMED,
  type Counted,
  type FigureReads,
  type FigureWrites,
  type Point,
  type Refusals,
  type Series,
  type Timed,
  type Width,
} from './commands.ts';

export const SPANS = ['hour', 'day', 'month'] as const;
export type Span = (typeof SPANS)[number];

const SHAPE: Readonly<Record<Span, { readonly lengthMs: number; readonly width: Width }>> = {
  hour: { lengthMs: HOUR_MS, width: MINUTE_MS },
  day: { lengthMs: 24 * HOUR_MS, width: MINUTE_MS },
  month: { lengthMs: 30 * 24 * HOUR_MS, width: HOUR_MS },
};

export interface SeriesOverTime {
  /** The beginning of the first point, and how far the points are apart. */
  readonly from: number;
  readonly widthMs: number;
  /** One number for each point; 0 where nothing happened. */
  readonly counts: Readonly<Record<Counted, readonly number[]>>;
  /** Null where nothing was measured. */
  readonly times: Readonly<
    Record<Timed, { readonly p50: readonly (number | null)[]; readonly p99: readonly (number | null)[] }>
  >;
}

/** One number for each point; 0 where nothing happened. */
function countsOf(points: readonly Point[], series: Series, from: number, widthMs: number, length: number): number[] {
  const counts = Array<number>(length).fill(0);
  for (const { at, series: of, count } of points) {
    const place = (at - from) / widthMs;
    if (of === series) counts[place] = (counts[place] ?? 0) + count;
  }
  return counts;
}

/** Points as dense rows, so that a chart needs no further arithmetic. */
export function toSeries(points: readonly Point[], from: number, widthMs: number, length: number): SeriesOverTime {
  const place = ({ at }: Point): number => (at - from) / widthMs;
  const timesOf = (series: Timed) => {
    const buckets = Array.from({ length }, () => new Map<number, number>());
    for (const point of points) if (point.series === series) buckets[place(point)]?.set(point.bucket, point.count);
    return {
      p50: buckets.map((counts) => quantileOf(counts, 0.5)),
      p99: buckets.map((counts) => quantileOf(counts, 0.99)),
    };
  };
  return {
    from,
    widthMs,
    counts: Object.fromEntries(
      COUNTED.map((series) => [series, countsOf(points, series, from, widthMs, length)]),
    ) as unknown as SeriesOverTime['counts'],
    times: Object.fromEntries(TIMED.map((series) => [series, timesOf(series)])) as unknown as SeriesOverTime['times'],
  };
}

/** Up to and with the minute or hour that is not over yet. */
function spanOf(span: Span, now: Date) {
  const { lengthMs, width } = SHAPE[span];
  const to = Math.floor(now.getTime() / width) * width + width;
  return { from: to - lengthMs, to, width, length: lengthMs / width };
}

interface AskedSpan {
  readonly tenant: string;
  readonly span: Span;
  readonly now: Date;
}

/** Every series of the last hour, day or month. */
export async function readSeries(
  figures: Operate<FigureWrites, FigureReads>,
  { tenant, span, now }: AskedSpan,
): Promise<Result<SeriesOverTime>> {
  const { from, to, width, length } = spanOf(span, now);
  const points = await figures.read('figures.points', { tenant, series: [...COUNTED, ...TIMED], width, from, to });
  return points.ok ? ok(toSeries(points.value, from, width, length)) : points;
}

export interface RefusalsOverTime extends Pick<SeriesOverTime, 'from' | 'widthMs'> {
  readonly counts: Readonly<Record<Refusals, readonly number[]>>;
}

/** Why webhooks were refused in the last hour, day or month. */
export async function readRefusals(
  figures: Operate<FigureWrites, FigureReads>,
  { tenant, span, now }: AskedSpan,
): Promise<Result<RefusalsOverTime>> {
  const { from, to, width, length } = spanOf(span, now);
  const series = REFUSALS.map((why) => `refused-${why}` as const);
  const points = await figures.read('figures.points', { tenant, series, width, from, to });
  if (!points.ok) return points;
  const rows = REFUSALS.map((why) => [why, countsOf(points.value, `refused-${why}`, from, width, length)] as const);
  return ok({ from, widthMs: width, counts: Object.fromEntries(rows) as unknown as RefusalsOverTime['counts'] });
}
