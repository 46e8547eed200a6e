import { lazy, Suspense, useMemo } from 'react';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { isSpan, Spans, spanOf } from '../../ui/spans.tsx';

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }));

/** A point is a minute or an hour long: nothing is missed by asking seldom. */
const EVERY_MS = { hour: 30_000, day: 120_000, month: 600_000 } as const;

/** Counts and times over an hour, a day or a month; drawn apart from the stream, so that an event draws no chart. */
export function Series() {
  const [{ span: given }, change] = useQuery();
  const span = isSpan(given) ? given : 'hour';
  const series = useAsk('flow.series', { query: { span } }, { everyMs: EVERY_MS[span] });
  const { value } = series;
  const charts = useMemo(() => {
    if (value === null) return [];
    const { counts, times } = value;
    const quantiles = ({ p50, p99 }: (typeof times)['lag']) => [
      { name: 'p50', values: p50, colour: 'accent' as const },
      { name: 'p99', values: p99, colour: 'warn' as const, isDashed: true },
    ];
    return [
      {
        title: 'Deliveries',
        lines: [
          { name: 'received', values: counts.received, colour: 'accent' as const },
          { name: 'delivered', values: counts.delivered, colour: 'good' as const, isDashed: true },
        ],
      },
      {
        title: 'Problems',
        lines: [
          { name: 'parked', values: counts.parked, colour: 'warn' as const },
          { name: 'quarantined', values: counts.quarantined, colour: 'bad' as const, isDashed: true },
          { name: 'refused', values: counts.refused, colour: 'quiet' as const },
        ],
      },
      { title: 'Lag: from the first byte to the chart', isTime: true, lines: quantiles(times.lag) },
      { title: 'EHR latency: one attempt', isTime: true, lines: quantiles(times['ehr-latency']) },
    ];
  }, [value]);
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
              {charts.map(({ title, lines, isTime }) => (
                <Chart
                  key={title}
                  title={title}
                  unit={isTime === true ? 'time' : 'count'}
                  fromMs={Date.parse(from)}
                  widthSeconds={widthSeconds}
                  lines={lines}
                />
              ))}
            </div>
          </Suspense>
        )}
      </Shown>
    </section>
  );
}
