import type UPlot from 'uplot';
import type { Series } from './make-series.ts';
import { scaleOf } from './scale-of.ts';

declare const uPlot: typeof UPlot;

const [TALL, LOW] = [280, 200];
const WIDE_FROM = 600;
/** Lines of one chart differ by their dashes too, not by colour alone. */
const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3]];
const DAYS = [1, 2, 5, 7, 14, 30, 60, 91, 182, 365, 730, 1_826].map((days) => days * 86_400);
const YEAR_SECONDS = 300 * 86_400;
/** The day of a month, and where months of two years would look the same, the month of a year. */
const labelOf = (seconds: number, isLong: boolean): string =>
  new Date(seconds * 1000).toISOString().slice(...(isLong ? ([0, 7] as const) : ([5, 10] as const)));

function paintRange(u: UPlot, { low, high }: NonNullable<Series['bounds']>, colour: string): void {
  const { ctx, bbox } = u;
  const top = high === null ? bbox.top : Math.max(bbox.top, u.valToPos(high, 'y', true));
  const bottom = low === null ? bbox.top + bbox.height : Math.min(bbox.top + bbox.height, u.valToPos(low, 'y', true));
  if (bottom <= top) return;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  ctx.restore();
}

/** Draws into `place` and follows its width. Answers how to take the chart away. */
export function drawChart(place: HTMLElement, series: Series): () => void {
  const { times, lines, bounds, shownTime } = series;
  const [from, to] = shownTime;
  const isLong = to - from > YEAR_SECONDS;
  const style = getComputedStyle(place);
  const colourOf = (name: string): string => style.getPropertyValue(name).trim();
  const size = (): { width: number; height: number } => ({
    width: Math.max(200, place.clientWidth),
    height: place.clientWidth < WIDE_FROM ? LOW : TALL,
  });
  const axis = {
    stroke: colourOf('--quiet'),
    grid: { stroke: colourOf('--rule'), width: 1 },
    ticks: { stroke: colourOf('--rule'), width: 1 },
  };
  const chart = new uPlot(
    {
      ...size(),
      legend: { show: false },
      cursor: { show: false },
      // Times are those of the patient's own clock, kept as if that were UTC.
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { x: { range: () => [from, to] }, y: { range: () => scaleOf(series) } },
      axes: [
        { ...axis, space: 64, incrs: DAYS, values: (_, times) => times.map((one) => labelOf(one, isLong)) },
        { ...axis, size: 56 },
      ],
      series: [
        {},
        ...lines.flatMap((_, i) => {
          const colour = colourOf(`--line-${i % DASHES.length}`);
          return [
            {
              stroke: colour,
              width: 2,
              dash: [...(DASHES[i % DASHES.length] ?? [])],
              spanGaps: true,
              points: { show: true, size: 6, fill: colour },
            },
            // A wide ring around what was amended, so that it does not depend on colour.
            {
              stroke: colour,
              paths: () => null,
              points: { show: true, size: 14, width: 2, fill: 'transparent', stroke: colour },
            },
          ];
        }),
      ],
      hooks: bounds === null ? {} : { drawAxes: [(u) => paintRange(u, bounds, colourOf('--range'))] },
    },
    [[...times], ...lines.flatMap(({ values, amended }) => [[...values], [...amended]])],
    place,
  );
  const watch = new ResizeObserver(() => chart.setSize(size()));
  watch.observe(place);
  return () => {
    watch.disconnect();
    chart.destroy();
  };
}
