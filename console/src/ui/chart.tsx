import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** The name of a colour of style.css. */
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'quiet';
  /** So that two lines differ by more than their colour. */
  readonly isDashed?: boolean;
}

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

/** Lines over time, with the same figures in words for who sees none. */
export function Chart({
  title,
  fromMs,
  widthSeconds,
  lines,
}: {
  readonly title: string;
  readonly fromMs: number;
  readonly widthSeconds: number;
  readonly lines: readonly Line[];
}) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const ink = colourOf(element, 'quiet');
    const axis = { stroke: ink, grid: { stroke: colourOf(element, 'line'), width: 1 }, ticks: { show: false } };
    const times = (lines[0]?.values ?? []).map((_, i) => fromMs / 1_000 + i * widthSeconds);
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        series: [
          {},
          ...lines.map(({ name, colour, isDashed }) => ({
            label: name,
            stroke: colourOf(element, colour),
            width: 2,
            points: { show: false },
            ...(isDashed === true ? { dash: [6, 4] } : {}),
          })),
        ],
        axes: [axis, { ...axis, size: 56 }],
        cursor: { drag: { x: false, y: false } },
      },
      [times, ...lines.map(({ values }) => [...values])],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [fromMs, widthSeconds, lines]);
  const sumOf = ({ name, values }: Line): string => {
    const known = values.filter((one) => one !== null);
    return `${name}: highest ${known.length === 0 ? 'nothing' : Math.max(...known)}, last ${known.at(-1) ?? 'nothing'}`;
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
