import { useEffect, useMemo, useRef, useState } from 'react';
import UPlot from 'uplot';

export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** The name of a colour of style.css. */
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'quiet';
  /** So that two lines differ by more than their colour. */
  readonly isDashed?: boolean;
}
type Unit = 'count' | 'time';

const HEIGHT = 180;
const colourOf = (element: Element, name: string): string => {
  const probe = document.createElement('span');
  probe.className = name;
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const secondsOf = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${SHORT.format(ms / 1_000)} s`);
const textOf = (unit: Unit, value: number | null): string =>
  value === null ? '–' : unit === 'time' ? secondsOf(value) : value.toLocaleString();
const axisText = (unit: Unit, value: number): string => (unit === 'time' ? secondsOf(value) : SHORT.format(value));

/** Nothing is half a delivery, and no time is told in parts of a millisecond. */
const STEPS = Array.from({ length: 30 }, (_, i) => ([1, 2, 5][i % 3] ?? 1) * 10 ** Math.floor(i / 3));

/** A point between two gaps has no line, and would not be seen. */
function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isThere = (i: number): boolean => (values[i] ?? null) !== null;
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []));
}

/** True once more when the reader changes to the other colours. */
function useColours(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const asked = matchMedia('(prefers-color-scheme: dark)');
    const onChange = (): void => setDark(asked.matches);
    asked.addEventListener('change', onChange);
    return () => asked.removeEventListener('change', onChange);
  }, []);
  return isDark;
}

/** Lines over time, with the same figures in words for who sees none. */
export function Chart({
  title,
  unit = 'count',
  fromMs,
  widthSeconds,
  lines,
}: {
  readonly title: string;
  readonly unit?: Unit;
  readonly fromMs: number;
  readonly widthSeconds: number;
  readonly lines: readonly Line[];
}) {
  const ref = useRef<HTMLDivElement>(null);
  const plotted = useRef<UPlot | null>(null);
  const isDark = useColours();
  const drawn = lines.map(({ name, colour, isDashed = false }) => ({ name, colour, isDashed }));
  const shape = JSON.stringify([unit, drawn]);
  const data = useMemo((): UPlot.AlignedData => {
    const times = (lines[0]?.values ?? []).map((_, i) => fromMs / 1_000 + i * widthSeconds);
    return [times, ...lines.map(({ values }) => [...values])];
  }, [fromMs, widthSeconds, lines]);
  const newest = useRef(data);
  newest.current = data;

  // Made once: new figures of the same lines are given to the plot that is there.
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const ink = colourOf(element, 'quiet');
    const axis = { stroke: ink, grid: { stroke: colourOf(element, 'line'), width: 1 }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
        series: [
          { label: 'time' },
          ...drawn.map(({ name, colour, isDashed }) => ({
            label: name,
            stroke: colourOf(element, colour),
            width: 2,
            points: { show: true, size: 5, filter: (plot: UPlot, i: number) => lonePoints([...(plot.data[i] ?? [])]) },
            value: (_plot: UPlot, value: number | null) => textOf(unit, value),
            ...(isDashed ? { dash: [6, 4] } : {}),
          })),
        ],
        axes: [
          axis,
          { ...axis, size: 56, incrs: STEPS, values: (_plot, splits) => splits.map((one) => axisText(unit, one)) },
        ],
        cursor: { drag: { x: false, y: false } },
      },
      newest.current,
      element,
    );
    plotted.current = plot;
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plotted.current = null;
      plot.destroy();
    };
    // The shape stands for unit and lines without their figures.
  }, [shape, isDark]);
  useEffect(() => plotted.current?.setData(data), [data]);

  const sumOf = ({ name, values }: Line): string => {
    const known = values.filter((one) => one !== null);
    const highest = known.length === 0 ? null : Math.max(...known);
    return `${name}: highest ${textOf(unit, highest)}, last ${textOf(unit, known.at(-1) ?? null)}`;
  };
  return (
    <figure className="card chart">
      <figcaption>
        <h2>{title}</h2>
        <span className="unseen">{lines.map(sumOf).join('; ')}</span>
      </figcaption>
      <div ref={ref} aria-hidden />
    </figure>
  );
}
