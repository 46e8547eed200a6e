import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { deliveriesOf } from '../../words/parts.ts';
import { BulkActs } from './bulk-act.tsx';
import type { Group } from './group.tsx';

type Row = ValueOf<'deliveries.groupWords'>['words'][number];

const columnsOf = (group: Group): readonly Column<Row>[] => [
  { name: 'Kind', show: ({ kind }) => kind },
  { name: 'As the source says it', show: ({ what }) => <code>{what}</code> },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure },
  {
    name: 'Waiting',
    show: ({ id, deliveries }) => <Link to={`/deliveries?word=${id}`}>{deliveriesOf(deliveries)}</Link>,
  },
  { name: 'Since', show: ({ oldestAt }) => <Time at={oldestAt} /> },
  {
    name: 'Act',
    show: ({ id, kind, what }) => (
      <span className="row">
        <Link to="/mappings">Map it</Link>
        <BulkActs group={group} part={{ about: `Those that wait for the ${kind} “${what}”.`, filter: { word: id } }} />
      </span>
    ),
  },
];

/** By code, unit and structure: what nobody has mapped, and what waits for each. */
export function WordsUnmapped({ group }: { readonly group: Group }) {
  const { state, reason, faultCode } = group;
  const found = useAsk('deliveries.groupWords', { query: { state, reason, fault: faultCode ?? undefined } });
  return (
    <Shown of={found}>
      {({ words, wordless, isWhole }) => (
        <>
          {words.length === 0 ? null : (
            <Table
              caption={`Words with the most deliveries first${isWhole ? '' : ', of the newest 5,000 deliveries'}`}
              rows={words}
              columns={columnsOf(group)}
              keyOf={({ id }) => id}
            />
          )}
          {wordless === 0 ? null : (
            <p className="quiet">
              Of {deliveriesOf(wordless)} no word is known: a template failed, or they came before words were kept.
              Judged again, they tell.
            </p>
          )}
        </>
      )}
    </Shown>
  );
}
