import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Group } from './group.tsx';

type Row = ValueOf<'deliveries.list'>['deliveries'][number];

const PAGE = 10;
const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Delivery',
    show: ({ id }) => (
      <Link to={`/deliveries/${id}`}>
        <code>{id}</code>
      </Link>
    ),
  },
  { name: 'Received', show: ({ receivedAt }) => <Time at={receivedAt} /> },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure ?? <span className="quiet">unknown</span> },
  { name: 'Version', show: ({ documentVersion }) => documentVersion, isNumber: true },
  { name: 'MRN', show: ({ mrn }) => mrn },
];

/** Each delivery of a group, a page at a time. */
export function GroupDeliveries({ group: { state, reason, faultCode } }: { readonly group: Group }) {
  const [{ cursor }, change] = useQuery();
  const query = { state, reason, fault: faultCode ?? undefined, cursor, limit: PAGE };
  const found = useAsk('deliveries.list', { query });
  return (
    <Shown of={found}>
      {({ deliveries, next }) => (
        <>
          <Table caption="All of them, newest first" rows={deliveries} columns={COLUMNS} keyOf={({ id }) => id} />
          <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
        </>
      )}
    </Shown>
  );
}
