import { lazy, Suspense, useMemo } from 'react';
import type { ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import type { Line } from './chart.tsx';
import { CopyAs } from './copy-as.tsx';
import { Shown } from './screen.tsx';
import { isSpan, Spans, spanOf } from './spans.tsx';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

/** A point is a minute or an hour long: nothing is missed by asking seldom. */
const EVERY_MS = { hour: 30_000, day: 120_000, month: 600_000 } as const;

export type SeriesValue = ValueOf<'flow.series'>;
export interface SeriesChart {
  readonly title: string;
  readonly unit: 'time' | 'count';
  readonly lines: readonly Line[];
}

/** Half of them took less, and one in a hundred more. */
export const quantilesOf = ({ p50, p99 }: SeriesValue['times']['lag']): readonly Line[] => [
  { name: 'p50', values: p50, colour: 'accent' },
  { name: 'p99', values: p99, colour: 'warn', isDashed: true },
];

/** Counts and times over an hour, a day or a month; drawn apart from the stream, so that an event draws no chart. */
export function Series({ chartsOf }: { readonly chartsOf: (value: SeriesValue) => readonly SeriesChart[] }) {
  const [{ span: given }, change] = useQuery();
  const span = isSpan(given) ? given : 'hour';
  const series = useAsk('flow.series', { query: { span } }, { everyMs: EVERY_MS[span] });
  const { value } = series;
  const charts = useMemo(() => (value === null ? [] : chartsOf(value)), [value, chartsOf]);
  return (
    <section aria-labelledby="series">
      <div className="between">
        <h2 id="series">Over time</h2>
        <span className="row">
          <CopyAs id="flow.series" call={{ query: { span } }} />
          <Spans value={span} onChange={(to) => change({ span: spanOf(to, 'hour') })} />
        </span>
      </div>
      <Shown of={series}>
        {({ from, widthSeconds }) => (
          <Suspense fallback={<p role="status">One moment …</p>}>
            <div className="charts">
              {charts.map((chart) => (
                <Chart key={chart.title} {...chart} fromMs={Date.parse(from)} widthSeconds={widthSeconds} />
              ))}
            </div>
          </Suspense>
        )}
      </Shown>
    </section>
  );
}
