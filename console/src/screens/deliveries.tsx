import { BroadcastIcon, DownloadIcon } from '@primer/octicons-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/ask.ts';
import { useHandles, type FindHandle } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import { useAsk, type Asked } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { CopyAs } from '../ui/copy-as.tsx';
import { PatientLink, UserLink } from '../ui/named.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { durationOf, Time } from '../ui/time.tsx';
import { ExportDeliveries } from './deliveries-export.tsx';
import { commandOf, DeliveryFilters, queryOf } from './deliveries-filters.tsx';

type Page = ValueOf<'deliveries.list'>;
type Row = Page['deliveries'][number];

const columnsOf = (find: FindHandle, isNamed: boolean): readonly Column<Row>[] => [
  { name: 'Received', show: ({ receivedAt }) => <Time at={receivedAt} /> },
  {
    name: 'State',
    show: ({ state, reason, detail }) => (
      <span title={detail ?? undefined}>
        <State is={state} reason={reason} />
      </span>
    ),
  },
  { name: 'Structure', show: ({ dataStructure }) => dataStructure ?? <span className="quiet">unknown</span> },
  { name: 'Version', show: ({ documentVersion }) => documentVersion, isNumber: true },
  ...(isNamed
    ? [
        { name: 'MRN', show: ({ mrn, userId }: Row) => mrnOf(mrn, userId, find) },
        { name: 'User', show: ({ userId }: Row) => <UserLink user={userId} find={find} /> },
      ]
    : []),
  {
    name: 'Delivery',
    show: ({ id }) => (
      <Link to={`/deliveries/${id}`}>
        <code>{id}</code>
      </Link>
    ),
  },
];
const mrnOf = (mrn: string | null, userId: string | null, find: FindHandle) =>
  mrn === null && userId !== null ? <span className="quiet">no link</span> : <PatientLink mrn={mrn} find={find} />;

const totalOf = ({ total }: Page): string | null =>
  total === undefined
    ? null
    : `${total.isExact ? '' : 'More than '}${total.count.toLocaleString()} ${total.count === 1 ? 'delivery' : 'deliveries'}`;

const LOOK_EVERY_MS = 3_000;

/**
 * Looks at the counts, which tell nothing of a patient, and asks for the list where they changed: an open page keeps
 * no record of looks at patients that nobody had.
 */
function useFollow(isFollowing: boolean, { again }: Pick<Asked<Page>, 'again'>): Asked<ValueOf<'flow.ledger'>> {
  const ledger = useAsk('flow.ledger', undefined, { everyMs: LOOK_EVERY_MS, isWanted: isFollowing });
  const seen = useRef<string | null>(null);
  const counts = ledger.value === null ? null : JSON.stringify(ledger.value.byState);
  useEffect(() => {
    if (counts === null || !isFollowing) return;
    if (seen.current !== null && seen.current !== counts) again();
    seen.current = counts;
  }, [counts, isFollowing, again]);
  return ledger;
}

function Following({ ledger, at }: { readonly ledger: Asked<unknown>; readonly at: number | null }) {
  if (ledger.refusal !== null)
    return (
      <p className="note warn" role="alert">
        Cut off: {ledger.refusal.message} What is shown is {durationOf(Date.now() - (ledger.at ?? at ?? Date.now()))}{' '}
        old. It comes back by itself.
      </p>
    );
  return (
    <p className="live" role="status">
      <BroadcastIcon size={16} aria-hidden /> Live: what comes in shows here by itself.
    </p>
  );
}

export function Deliveries() {
  const [given, change] = useQuery();
  const { cursor, live } = given;
  const query = { ...queryOf(given), cursor, limit: 50 };
  const isFirst = cursor === undefined;
  const found = useAsk('deliveries.list', { query: { ...query, with_total: isFirst ? 'true' : 'false' } });
  const isFollowing = live === 'on' && isFirst;
  const ledger = useFollow(isFollowing, found);
  const [isSaving, setSaving] = useState(false);
  const maySeePatients = useMay('patients.read');
  const rows = found.value?.deliveries ?? [];
  const find = useHandles(
    rows.map(({ mrn }) => mrn),
    rows.map(({ userId }) => userId),
  );
  return (
    <Screen
      title="Deliveries"
      actions={
        <span className="row">
          <button
            type="button"
            className="plain"
            aria-pressed={isFollowing}
            onClick={() => change({ live: isFollowing ? undefined : 'on', cursor: undefined })}
          >
            <BroadcastIcon size={16} aria-hidden />
            {isFollowing ? 'Stop following' : 'Follow live'}
          </button>
          <button type="button" className="plain" onClick={() => setSaving(true)}>
            <DownloadIcon size={16} aria-hidden />
            Save as CSV …
          </button>
          <CopyAs id="deliveries.list" call={{ query }} command={commandOf(given)} />
        </span>
      }
    >
      <DeliveryFilters given={given} onChange={(changes) => change({ ...changes, cursor: undefined })} />
      {isFollowing ? <Following ledger={ledger} at={found.at} /> : null}
      {isSaving ? (
        <ExportDeliveries given={given} total={found.value?.total?.count} onClose={() => setSaving(false)} />
      ) : null}
      <Shown of={found}>
        {(page) =>
          page.deliveries.length === 0 && page.next === null ? (
            <p>No delivery is like that. Choose other filters, or wait for the source to send something.</p>
          ) : (
            <>
              <Table
                caption={['Newest first', totalOf(page)].filter((one) => one !== null).join(' · ')}
                rows={page.deliveries}
                columns={columnsOf(find, maySeePatients)}
                keyOf={({ id }) => id}
              />
              <Pages cursor={cursor} next={page.next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
