import { lazy, Suspense, useMemo } from 'react';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { isSpan, Spans, spanOf } from '../../ui/spans.tsx';

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }));
const EVERY_MS = 60_000;

/** How long the EHR takes, and how often it fails. */
export function EhrSeries() {
  const [{ span: given }, change] = useQuery();
  const span = isSpan(given) ? given : 'hour';
  const series = useAsk('flow.series', { query: { span } }, { everyMs: EVERY_MS });
  const { value } = series;
  const lines = useMemo(() => {
    if (value === null) return null;
    const { p50, p99 } = value.times['ehr-latency'];
    return {
      latency: [
        { name: 'p50', values: p50, colour: 'accent' as const },
        { name: 'p99', values: p99, colour: 'warn' as const, isDashed: true },
      ],
      errors: [
        { name: 'delivered', values: value.counts.delivered, colour: 'good' as const },
        {
          name: 'failed attempts',
          values: value.counts['failed-attempts'],
          colour: 'bad' as const,
          isDashed: true,
        },
      ],
    };
  }, [value]);
  return (
    <section aria-labelledby="ehr-series">
      <div className="between">
        <h2 id="ehr-series">Over time</h2>
        <span className="row">
          <CopyAs id="flow.series" call={{ query: { span } }} />
          <Spans value={span} onChange={(to) => change({ span: spanOf(to, 'hour') })} />
        </span>
      </div>
      <Shown of={series}>
        {({ from, widthSeconds }) => (
          <Suspense fallback={<p role="status">One moment …</p>}>
            <div className="charts">
              <Chart
                title="Latency: one attempt"
                unit="time"
                fromMs={Date.parse(from)}
                widthSeconds={widthSeconds}
                lines={lines?.latency ?? []}
              />
              <Chart
                title="Attempts"
                fromMs={Date.parse(from)}
                widthSeconds={widthSeconds}
                lines={lines?.errors ?? []}
              />
            </div>
          </Suspense>
        )}
      </Shown>
    </section>
  );
}
