import type UPlot from 'uplot';
import type { Series } from './make-series.ts';

declare const uPlot: typeof UPlot;

const HEIGHT = 180;
const COLOURS = ['#0b5fa5', '#8a3b12', '#3d6b21'] as const;
const RANGE = 'rgb(46 125 50 / 14%)';
const DAYS = [1, 2, 5, 7, 14, 30, 60, 91, 182, 365, 730, 1_826].map((days) => days * 86_400);
const YEAR_SECONDS = 300 * 86_400;
/** The day of a month, and where months of two years would look the same, the month of a year. */
const labelOf = (seconds: number, isLong: boolean): string =>
  new Date(seconds * 1000).toISOString().slice(...(isLong ? ([0, 7] as const) : ([5, 10] as const)));
const AXIS = { stroke: '#444', grid: { stroke: '#e3e3e3', width: 1 }, ticks: { stroke: '#bbb', width: 1 } } as const;

function paintRange(u: UPlot, { low, high }: NonNullable<Series['bounds']>): void {
  const { ctx, bbox } = u;
  const top = high === null ? bbox.top : Math.max(bbox.top, u.valToPos(high, 'y', true));
  const bottom = low === null ? bbox.top + bbox.height : Math.min(bbox.top + bbox.height, u.valToPos(low, 'y', true));
  if (bottom <= top) return;
  ctx.save();
  ctx.fillStyle = RANGE;
  ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  ctx.restore();
}

/** At least so much of a value's own size is shown: a tenth of a percent must not look like an illness. */
const SHARE_MIN = 0.05;

/** The values and the range both have room, and a flat line is not drawn along the edge. */
function scaleOf({ lines, bounds }: Series): [number, number] {
  const known = [...lines.flatMap(({ values }) => values), bounds?.low ?? null, bounds?.high ?? null].filter(
    (one) => one !== null,
  );
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const least = Math.max(high, -low) * SHARE_MIN || 2;
  const room = Math.max((high - low) * 0.1, (least - (high - low)) / 2);
  return [low - room, high + room];
}

/** Draws into `place` and follows its width. Answers how to take the chart away. */
export function drawChart(place: HTMLElement, series: Series): () => void {
  const { times, lines, bounds, shownTime } = series;
  const [from, to] = shownTime;
  const isLong = to - from > YEAR_SECONDS;
  const chart = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      // Times are those of the patient's own clock, kept as if that were UTC.
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { x: { range: () => [from, to] }, y: { range: () => scaleOf(series) } },
      axes: [
        { ...AXIS, space: 64, incrs: DAYS, values: (_, times) => times.map((one) => labelOf(one, isLong)) },
        { ...AXIS, size: 56 },
      ],
      series: [
        {},
        ...lines.flatMap((_, i) => {
          const colour = COLOURS[i % COLOURS.length] ?? COLOURS[0];
          return [
            { stroke: colour, width: 2, spanGaps: true, points: { show: true, size: 5, fill: colour } },
            // A wide ring around what was amended, so that it does not depend on colour.
            {
              stroke: colour,
              paths: () => null,
              points: { show: true, size: 13, width: 2, fill: 'transparent', stroke: colour },
            },
          ];
        }),
      ],
      hooks: bounds === null ? {} : { drawAxes: [(u) => paintRange(u, bounds)] },
    },
    [[...times], ...lines.flatMap(({ values, amended }) => [[...values], [...amended]])],
    place,
  );
  const watch = new ResizeObserver(() => chart.setSize({ width: Math.max(200, place.clientWidth), height: HEIGHT }));
  watch.observe(place);
  return () => {
    watch.disconnect();
    chart.destroy();
  };
}
