import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { CopyAs } from '../ui/copy-as.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { durationOf, Time } from '../ui/time.tsx';

const Chart = lazy(async () => ({ default: (await import('../ui/chart.tsx')).Chart }));

const LOOK_MS = 5_000;
const SPANS = ['hour', 'day', 'month'] as const;
type Span = (typeof SPANS)[number];
const count = (n: number): string => n.toLocaleString();

type Ledger = ValueOf<'flow.ledger'>;
type Target = ValueOf<'targets.list'>['targets'][number];

function Flow({ ledger, target }: { readonly ledger: Ledger; readonly target: Target | undefined }) {
  const { received, queued, sending, unknown } = ledger.byState;
  const waiting = target?.waiting;
  const oldestAt = waiting?.oldestAt ?? null;
  const lag = oldestAt === null ? null : Date.now() - Date.parse(oldestAt);
  return (
    <section className="card" aria-labelledby="flow">
      <h2 id="flow">The flow</h2>
      <ol className="flow">
        <li>
          <strong>Source</strong>
          {count(ledger.acknowledged)} acknowledged
        </li>
        <li>
          <strong>Inbox</strong>
          {count(received)} to be judged
        </li>
        <li>
          <strong>Lanes</strong>
          {count(queued + sending + unknown)} on their way
          {waiting === undefined ? null : (
            <div className="small quiet">
              {count(waiting.lanes)} patients wait{lag === null ? '' : `, the longest for ${durationOf(lag)}`}
            </div>
          )}
        </li>
        <li>
          <strong>EHR</strong>
          {target === undefined ? (
            <span className="quiet">not shown to your role</span>
          ) : (
            <>
              <State is={target.state} />
              <div className="small quiet">
                breaker {target.breaker}, {target.inFlight} of {target.limit} requests under way
              </div>
            </>
          )}
        </li>
      </ol>
    </section>
  );
}

function LedgerEquation({ ledger }: { readonly ledger: Ledger }) {
  const states = Object.entries(ledger.byState);
  return (
    <section className="card" aria-labelledby="ledger">
      <div className="between">
        <h2 id="ledger">The ledger</h2>
        <CopyAs id="flow.ledger" command="ledger" />
      </div>
      <p className={ledger.addsUp ? 'good' : 'bad'} role={ledger.addsUp ? undefined : 'alert'}>
        {count(ledger.acknowledged)} acknowledged = {count(states.reduce((sum, [, n]) => sum + n, 0))} in all states.{' '}
        {ledger.addsUp ? 'It adds up.' : 'It does not add up: read docs/operate.md, “The ledger does not add up”.'}
      </p>
      <dl className="tiles">
        {states.map(([state, n]) => (
          <div className="tile" key={state}>
            <dt>
              <Link to={`/deliveries?state=${state}`}>{state}</Link>
            </dt>
            <dd>{count(n)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Series() {
  const [span, setSpan] = useState<Span>('hour');
  const series = useAsk('flow.series', { query: { span } }, { everyMs: 30_000 });
  const value = series.value;
  const charts = useMemo(() => {
    if (value === null) return [];
    const { counts, times } = value;
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
      {
        title: 'From the first byte to the chart, milliseconds',
        lines: [
          { name: 'half within', values: times.lag.p50, colour: 'accent' as const },
          { name: '99 of 100 within', values: times.lag.p99, colour: 'warn' as const, isDashed: true },
        ],
      },
      {
        title: 'One attempt at the EHR, milliseconds',
        lines: [
          { name: 'half within', values: times['ehr-latency'].p50, colour: 'accent' as const },
          { name: '99 of 100 within', values: times['ehr-latency'].p99, colour: 'warn' as const, isDashed: true },
        ],
      },
    ];
  }, [value]);
  return (
    <section aria-label="Over time">
      <div className="between">
        <h2>Over time</h2>
        <div className="tabs" role="group" aria-label="Span">
          {SPANS.map((one) => (
            <button type="button" key={one} aria-pressed={span === one} onClick={() => setSpan(one)}>
              {one}
            </button>
          ))}
        </div>
      </div>
      <Shown of={series}>
        {({ from, widthSeconds }) => (
          <Suspense fallback={<p role="status">One moment …</p>}>
            <div className="charts">
              {charts.map(({ title, lines }) => (
                <Chart key={title} title={title} fromMs={Date.parse(from)} widthSeconds={widthSeconds} lines={lines} />
              ))}
            </div>
          </Suspense>
        )}
      </Shown>
    </section>
  );
}

function Problems() {
  const parked = useAsk('deliveries.list', { query: { state: 'parked', limit: 10 } }, { everyMs: 4 * LOOK_MS });
  return (
    <section className="card" aria-labelledby="problems">
      <h2 id="problems">What needs somebody</h2>
      <Shown of={parked}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="good">Nothing is parked.</p>
          ) : (
            <ul>
              {deliveries.map(({ id, reason, detail, stateAt }) => (
                <li key={id}>
                  <Link to={`/deliveries/${id}`}>
                    <State is="parked" reason={reason} />
                  </Link>{' '}
                  {detail} <Time at={stateAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

export function Overview() {
  const ledger = useAsk('flow.ledger', undefined, { everyMs: LOOK_MS });
  const maySeeTargets = useMay('targets.read');
  const maySeeDeliveries = useMay('deliveries.read');
  const targets = useAsk('targets.list', undefined, { everyMs: LOOK_MS, isWanted: maySeeTargets });
  return (
    <Screen title="Overview">
      <Shown of={ledger}>
        {(value) => (
          <>
            <Flow ledger={value} target={targets.value?.targets[0]} />
            <LedgerEquation ledger={value} />
          </>
        )}
      </Shown>
      {maySeeDeliveries ? <Problems /> : null}
      <Series />
    </Screen>
  );
}
