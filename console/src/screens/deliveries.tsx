import { Link } from 'wouter';
import { STATES } from '../../../src/admin/contract/states.ts';
import type { ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

const STRUCTURES = ['clinical_ready', 'lab_result', 'alert_event', 'alert_summary', 'user_profile', 'steps_event'];
const isState = (value: string | undefined): value is (typeof STATES)[number] => STATES.some((one) => one === value);

type Row = ValueOf<'deliveries.list'>['deliveries'][number];
const COLUMNS: readonly Column<Row>[] = [
  { name: 'Received', show: ({ receivedAt }) => <Time at={receivedAt} /> },
  { name: 'State', show: ({ state, reason }) => <State is={state} reason={reason} /> },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure ?? <span className="quiet">unknown</span> },
  { name: 'Version', show: ({ documentVersion }) => documentVersion, isNumber: true },
  {
    name: 'Delivery',
    show: ({ id }) => (
      <Link to={`/deliveries/${id}`}>
        <code>{id}</code>
      </Link>
    ),
  },
];

export function Deliveries() {
  const [{ state, structure, cursor }, change] = useQuery();
  const query = {
    state: isState(state) ? state : undefined,
    data_structure: structure,
    cursor,
    limit: 50,
  };
  const found = useAsk('deliveries.list', { query }, cursor === undefined ? { everyMs: 10_000 } : {});
  return (
    <Screen title="Deliveries" actions={<CopyAs id="deliveries.list" call={{ query }} />}>
      <form className="card row" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="State" value={state} of={STATES} onChange={(to) => change({ state: to, cursor: undefined })} />
        <Choice
          label="Structure"
          value={structure}
          of={STRUCTURES}
          onChange={(to) => change({ structure: to, cursor: undefined })}
        />
      </form>
      <Shown of={found}>
        {({ deliveries, next }) =>
          deliveries.length === 0 ? (
            <p>No delivery is like that. Choose other filters, or wait for the source to send something.</p>
          ) : (
            <>
              <Table caption="Deliveries, newest first" rows={deliveries} columns={COLUMNS} keyOf={({ id }) => id} />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
