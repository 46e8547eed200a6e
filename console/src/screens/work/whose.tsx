import { useState } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { LinkUser } from './link-user.tsx';
import type { Group } from './group.tsx';

type Row = ValueOf<'deliveries.groupPatients'>['patients'][number];

const COLUMNS: readonly Column<Row>[] = [
  { name: 'User of the source', show: ({ userId }) => (userId === null ? 'not shown' : <code>{userId}</code>) },
  { name: 'MRN', show: ({ mrn }) => mrn ?? <span className="quiet">none</span> },
  { name: 'Waiting', show: ({ deliveries }) => deliveries.toLocaleString(), isNumber: true },
  { name: 'Since', show: ({ oldestAt }) => <Time at={oldestAt} /> },
  {
    name: 'Newest',
    show: ({ example }) => (
      <Link to={`/deliveries/${example}`}>
        <code>{example}</code>
      </Link>
    ),
  },
];

/** Whose the deliveries of a group are; a user without a patient is linked right here. */
export function Whose({ group, onLinked }: { readonly group: Group; readonly onLinked: (words: string) => void }) {
  const mayLink = useMay('links.change');
  const [linking, setLinking] = useState<Row | null>(null);
  const { state, reason, faultCode } = group;
  const found = useAsk('deliveries.groupPatients', { query: { state, reason, fault: faultCode ?? undefined } });
  const canLink = mayLink && reason === 'unlinked';
  const act: Column<Row> = {
    name: 'Act',
    show: (row) =>
      row.userId === null ? null : (
        <button type="button" className="plain" onClick={() => setLinking(row)}>
          Link …
        </button>
      ),
  };
  return (
    <Shown of={found}>
      {({ patients, isWhole }) => (
        <>
          {patients.length === 0 ? (
            <p>They tell of nobody that is known.</p>
          ) : (
            <Table
              caption={`Users with the most deliveries first${isWhole ? '' : ', of the newest 5,000 deliveries'}`}
              rows={patients}
              columns={canLink ? [...COLUMNS.slice(0, 1), act, ...COLUMNS.slice(1)] : COLUMNS}
              keyOf={({ example }) => example}
            />
          )}
          {reason === 'unlinked' && !mayLink ? <p className="quiet">A registrar links users to patients.</p> : null}
          {linking === null || linking.userId === null ? null : (
            <LinkUser
              user={linking.userId}
              waiting={linking.deliveries}
              onClose={() => setLinking(null)}
              onDone={(words) => {
                setLinking(null);
                found.again();
                onLinked(words);
              }}
            />
          )}
        </>
      )}
    </Shown>
  );
}
