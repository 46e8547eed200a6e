import { CheckCircleIcon, XCircleIcon } from '@primer/octicons-react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Changes } from '../../ui/changes.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Probe = ValueOf<'targets.probes'>['probes'][number];

const COLUMNS: readonly Column<Probe>[] = [
  {
    name: 'When',
    show: ({ firstAt, lastAt, count }) => (
      <>
        <Time at={lastAt} />
        {count === 1 ? null : (
          <div className="small quiet">
            {count.toLocaleString()} times since <Time at={firstAt} />
          </div>
        )}
      </>
    ),
  },
  { name: 'By', show: ({ by }) => (by === 'gateway' ? 'the gateway itself' : by) },
  {
    name: 'Outcome',
    show: ({ outcome, faultCode }) =>
      outcome === 'ok' ? (
        <span className="good">
          <CheckCircleIcon size={12} aria-hidden /> it answered
        </span>
      ) : (
        <span className="bad">
          <XCircleIcon size={12} aria-hidden /> failed: <code>{faultCode}</code>
        </span>
      ),
  },
  { name: 'What had changed', show: ({ changes }) => <Changes of={changes} /> },
];

function outcomeOf({ outcome, faultCode, changes }: Probe): string {
  if (outcome === 'failed') return `The probe failed: ${faultCode ?? 'unknown'}. What was known stays in force.`;
  if (changes.length === 0) return 'It answered as before.';
  return `It answered, and ${changes.length} ${changes.length === 1 ? 'thing has' : 'things have'} changed.`;
}

/** What the EHR said when it was asked what it can. */
export function Probes({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const act = useAct();
  const mayAct = useMay('targets.act');
  const [{ probes: cursor }, change] = useQuery();
  const call = { params: { id }, query: { cursor, limit: 10 } };
  const found = useAsk('targets.probes', call);
  const onProbe = async (): Promise<void> => {
    if (!(await act.run(ask('targets.probe', { params: { id } }), outcomeOf))) return;
    found.again();
    onDone();
  };
  return (
    <section className="card" aria-labelledby="probes">
      <div className="between">
        <h2 id="probes">What each probe found</h2>
        <CopyAs id="targets.probes" call={call} command="targets probes" />
      </div>
      {mayAct ? (
        <>
          <p className="quiet">A probe only reads. The gateway makes one at its start and every hour.</p>
          <button type="button" disabled={act.isBusy} onClick={() => void onProbe()}>
            {act.isBusy ? 'The EHR is asked …' : 'Probe now'}
          </button>
          <Outcome of={act} />
          <Recorded of={act} />
        </>
      ) : null}
      <Shown of={found}>
        {({ probes, next }) =>
          probes.length === 0 ? (
            <p>The EHR was never probed.</p>
          ) : (
            <>
              <Table
                caption="Probes, newest first; those in a row that found the same are one"
                rows={probes}
                columns={COLUMNS}
                keyOf={({ firstAt, by }) => `${firstAt} ${by}`}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ probes: to })} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
