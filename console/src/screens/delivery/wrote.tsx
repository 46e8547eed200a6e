import type { Column } from '../../ui/table.tsx';
import { Table } from '../../ui/table.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import type { OneDelivery } from './delivery.tsx';

type Row = OneDelivery['wrote'][number];

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Resource', show: ({ resourceType }) => resourceType },
  {
    name: 'Reference at the EHR',
    show: ({ reference }) => (reference === null ? <span className="quiet">not known</span> : <code>{reference}</code>),
  },
  { name: 'Version', show: ({ versionId }) => versionId ?? <span className="quiet">not told</span> },
  {
    name: 'In the chart',
    show: ({ retractedAt }) => <State is={retractedAt === null ? 'delivered' : 'taken back'} />,
  },
  { name: 'Written', show: ({ writtenAt }) => <Time at={writtenAt} /> },
  { name: 'Taken back', show: ({ retractedAt }) => (retractedAt === null ? '' : <Time at={retractedAt} />) },
];

/** What the delivery was the last to write, by reference and version of the EHR. */
export function Wrote({ of }: { readonly of: OneDelivery }) {
  return (
    <section className="card" aria-labelledby="wrote">
      <h2 id="wrote">At the EHR</h2>
      {of.wrote.length === 0 ? (
        <p>
          {of.state === 'superseded'
            ? 'What it wrote was written over by a later version, which shows it.'
            : 'Nothing of it stands at the EHR.'}
        </p>
      ) : (
        <Table
          caption="What it was the last to write"
          rows={of.wrote}
          columns={COLUMNS}
          keyOf={({ reference, resourceType, writtenAt }) => `${reference ?? resourceType} ${writtenAt}`}
        />
      )}
    </section>
  );
}
