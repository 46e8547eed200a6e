import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Row = ValueOf<'mappings.unmapped'>['unmapped'][number];

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Kind', show: ({ kind }) => kind },
  { name: 'As the source says it', show: ({ what }) => <code>{what}</code> },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure },
  { name: 'Seen', show: ({ count }) => count.toLocaleString(), isNumber: true },
  { name: 'Last', show: ({ lastAt }) => <Time at={lastAt} /> },
  {
    name: 'Act',
    show: ({ what }) => <Link to={`/mappings?text=${encodeURIComponent(what)}`}>Map it</Link>,
  },
];

/** By code, unit and structure: what nobody has mapped. */
export function WordsUnmapped() {
  const found = useAsk('mappings.unmapped', { query: { limit: 10 } });
  return (
    <Shown of={found}>
      {({ unmapped, next }) =>
        unmapped.length === 0 ? (
          <p>Everything that came is mapped by now. Judge the deliveries again.</p>
        ) : (
          <>
            <Table
              caption="What nobody has mapped, last seen first"
              rows={unmapped}
              columns={COLUMNS}
              keyOf={({ kind, what, dataStructure }) => `${kind} ${what} ${dataStructure}`}
            />
            {next === null ? null : <Link to="/mappings">All of them</Link>}
          </>
        )
      }
    </Shown>
  );
}
