import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Failed, NotedList, Went } from '../../ui/noted.tsx';
import { Shown } from '../../ui/screen.tsx';
import type { Column } from '../../ui/table.tsx';

type Probe = ValueOf<'targets.probes'>['probes'][number];

const COLUMNS: readonly Column<Probe>[] = [
  {
    name: 'Outcome',
    show: ({ outcome, faultCode }) =>
      outcome === 'ok' ? (
        <Went>it answered</Went>
      ) : (
        <Failed>
          failed: <code>{faultCode}</code>
        </Failed>
      ),
  },
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
        {({ probes, next }) => (
          <NotedList
            caption="Probes, newest first; those in a row that found the same are one"
            none="The EHR was never probed."
            rows={probes}
            columns={COLUMNS}
            cursor={cursor}
            next={next}
            onGo={(to) => change({ probes: to })}
          />
        )}
      </Shown>
    </section>
  );
}
