import { LinkExternalIcon } from '@primer/octicons-react';
import { CopyButton } from '../../ui/copy-button.tsx';
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
    show: ({ reference, address }) =>
      reference === null || address === null ? (
        <span className="quiet">not known</span>
      ) : (
        <span className="row">
          <a href={address} target="_blank" rel="noreferrer noopener">
            <code>{reference}</code> <LinkExternalIcon size={12} aria-label="opens at the EHR, in another tab" />
          </a>
          <CopyButton text={address} />
        </span>
      ),
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
        <>
          <p className="quiet">
            A reference opens at the EHR, which may ask you to sign in there and keeps its own record. The address stays
            in the history of your browser; copy it to open it elsewhere.
          </p>
          <Table
            caption="What it was the last to write"
            rows={of.wrote}
            columns={COLUMNS}
            keyOf={({ reference, resourceType, writtenAt }) => `${reference ?? resourceType} ${writtenAt}`}
          />
        </>
      )}
    </section>
  );
}
