import { useMemo } from 'react';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Chart } from '../../ui/chart.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { NO_FILTERS } from './filters.tsx';

const BY = [
  ['actor', 'people and API keys'],
  ['app', 'apps'],
  ['patient', 'patients'],
] as const;
const SPANS = [
  ['hour', 'the last day, by the hour'],
  ['day', 'the last month, by the day'],
] as const;

type Counts = ValueOf<'audit.counts'>;
type Row = Counts['names'][number];

/** How a number went over time, small. */
function Spark({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <svg className="spark" viewBox={`0 0 ${counts.length} 10`} preserveAspectRatio="none" aria-hidden>
      {counts.map((count, i) => {
        const height = (count / most) * 10;
        return <rect key={i} x={i + 0.1} width={0.8} y={10 - height} height={height} />;
      })}
    </svg>
  );
}

function Sum({ of: { names, from, intervalSeconds } }: { readonly of: Counts }) {
  const lines = useMemo(() => {
    const points = names[0]?.counts.length ?? 0;
    const values = Array.from({ length: points }, (_, i) => names.reduce((sum, one) => sum + (one.counts[i] ?? 0), 0));
    return [{ name: 'Acts', values, colour: 'accent' as const }];
  }, [names]);
  return <Chart title="All of them together" fromMs={Date.parse(from)} widthSeconds={intervalSeconds} lines={lines} />;
}

/** How often, by whom, over time. */
export function CountsOverTime({ onActor }: { readonly onActor: (actor: string) => void }) {
  const [address, change] = useQuery();
  const by = BY.find(([one]) => one === address['by'])?.[0] ?? 'actor';
  const interval = SPANS.find(([one]) => one === address['interval'])?.[0] ?? 'hour';
  const query = { by, interval };
  const counts = useAsk('audit.counts', { query });
  const nameOf = ({ name }: Row) => {
    if (by === 'patient') return <code title={name}>{name.slice(0, 16)}</code>;
    const onClick = () => (by === 'actor' ? onActor(name) : change({ ...NO_FILTERS, view: undefined, client: name }));
    return (
      <button type="button" className="text" onClick={onClick}>
        {name}
      </button>
    );
  };
  const columns = (most: number): readonly Column<Row>[] => [
    { name: by === 'actor' ? 'Who' : by === 'app' ? 'App' : 'Patient, as a keyed hash', show: nameOf },
    {
      name: 'How often',
      show: ({ name, total }) => (
        <meter
          min={0}
          max={most}
          value={total}
          aria-label={`How often ${by === 'patient' ? name.slice(0, 16) : name}`}
        />
      ),
    },
    { name: 'Times', show: ({ total }) => total.toLocaleString(), isNumber: true },
    { name: 'Over time', show: ({ counts: points }) => <Spark counts={points} /> },
  ];
  return (
    <>
      <div className="card between">
        <div className="row">
          <Pick label="Count by" value={by} of={BY} onChange={(to) => change({ by: to })} />
          <Pick label="Over" value={interval} of={SPANS} onChange={(to) => change({ interval: to })} />
        </div>
        <CopyAs id="audit.counts" call={{ query }} command={`audit counts --by ${by} --interval ${interval}`} />
      </div>
      <Shown of={counts}>
        {(value) =>
          value.names.length === 0 ? (
            <p className="card">Nothing happened in that time.</p>
          ) : (
            <>
              <Sum of={value} />
              <section className="card" aria-labelledby="most">
                <h2 id="most">Those with the most first</h2>
                <Table
                  caption={`${value.counted.count.toLocaleString()}${value.counted.isExact ? '' : ', the newest of more,'} records${
                    value.others.names === 0
                      ? ''
                      : `; ${value.others.names} others with ${value.others.total.toLocaleString()} together`
                  }. What the gateway does by itself is not counted.`}
                  rows={value.names}
                  columns={columns(value.names[0]?.total ?? 1)}
                  keyOf={({ name }) => name}
                />
              </section>
            </>
          )
        }
      </Shown>
    </>
  );
}
