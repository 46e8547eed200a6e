import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Row = ValueOf<'mappings.unmapped'>['unmapped'][number];
const COLUMNS: readonly Column<Row>[] = [
  { name: 'Kind', show: ({ kind }) => kind },
  { name: 'As the source says it', show: ({ what }) => <code>{what}</code> },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure },
  { name: 'Seen', show: ({ count }) => count.toLocaleString(), isNumber: true },
  { name: 'First', show: ({ firstAt }) => <Time at={firstAt} /> },
  { name: 'Last', show: ({ lastAt }) => <Time at={lastAt} /> },
];

function Reload({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const onClick = async (): Promise<void> => {
    const isDone = await act.run(ask('mappings.reload'), ({ version, changed, templates }) =>
      changed === 'same'
        ? `Nothing has changed: version ${version}.`
        : `Version ${version} is in force, with ${templates} templates. What was left out is sent again.`,
    );
    if (isDone) onDone();
  };
  return (
    <section className="card" aria-labelledby="reload">
      <h2 id="reload">Load mapping files and templates anew</h2>
      <p>Files that are not sound are refused, and what is in force stays.</p>
      <button type="button" disabled={act.isBusy} onClick={() => void onClick()}>
        Load
      </button>
      <Outcome of={act} />
    </section>
  );
}

export function Mappings() {
  const [{ cursor }, change] = useQuery();
  const query = { cursor, limit: 50 };
  const found = useAsk('mappings.unmapped', { query });
  const mayChange = useMay('mappings.change');
  return (
    <Screen title="Mappings" actions={<CopyAs id="mappings.unmapped" call={{ query }} />}>
      {mayChange ? <Reload onDone={found.again} /> : null}
      <section className="card" aria-labelledby="unmapped">
        <h2 id="unmapped">What nobody has mapped</h2>
        <Shown of={found}>
          {({ unmapped, next }) =>
            unmapped.length === 0 ? (
              <p className="good">Every code, unit and structure that came has a mapping.</p>
            ) : (
              <>
                <Table
                  caption="Newest first"
                  rows={unmapped}
                  columns={COLUMNS}
                  keyOf={({ kind, what, dataStructure }) => `${kind} ${what} ${dataStructure}`}
                />
                <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
              </>
            )
          }
        </Shown>
      </section>
    </Screen>
  );
}
