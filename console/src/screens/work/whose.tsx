import { useState } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useHandles, type FindHandle } from '../../api/handles.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BulkActs } from './bulk-act.tsx';
import { LinkUser } from './link-user.tsx';
import type { Group } from './group.tsx';

type Row = ValueOf<'deliveries.groupPatients'>['patients'][number];

const columnsOf = (find: FindHandle): readonly Column<Row>[] => [
  { name: 'User of the source', show: ({ userId }) => (userId === null ? 'not shown' : <code>{userId}</code>) },
  { name: 'MRN', show: ({ mrn }) => mrn ?? <span className="quiet">none</span> },
  { name: 'Waiting', show: (row) => <Waiting of={row} handle={find('user', row.userId)} />, isNumber: true },
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

function Waiting({ of: { deliveries }, handle }: { readonly of: Row; readonly handle: string | undefined }) {
  const count = deliveries.toLocaleString();
  return handle === undefined ? count : <Link to={`/deliveries?user=${handle}`}>{count}</Link>;
}

/** Whose the deliveries of a group are; a user without a patient is linked right here. */
export function Whose({ group, onLinked }: { readonly group: Group; readonly onLinked: (words: string) => void }) {
  const mayLink = useMay('links.change');
  const mayAct = useMay('deliveries.act');
  const [linking, setLinking] = useState<Row | null>(null);
  const { state, reason, faultCode } = group;
  const found = useAsk('deliveries.groupPatients', { query: { state, reason, fault: faultCode ?? undefined } });
  const find = useHandles(
    [],
    (found.value?.patients ?? []).map(({ userId }) => userId),
  );
  const canLink = mayLink && reason === 'unlinked';
  const [who, ...more] = columnsOf(find);
  const act: Column<Row> = {
    name: 'Act',
    show: (row) =>
      row.userId === null ? null : (
        <span className="row">
          {canLink ? (
            <button type="button" className="plain" onClick={() => setLinking(row)}>
              Link …
            </button>
          ) : null}
          <BulkActs
            group={group}
            part={{ about: `Those of the user ${row.userId}.`, filter: { user_id: row.userId } }}
          />
        </span>
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
              columns={[...(who === undefined ? [] : [who]), ...(canLink || mayAct ? [act] : []), ...more]}
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
