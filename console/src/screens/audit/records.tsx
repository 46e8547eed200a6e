import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { actionWords, outcomeWords, typeWords, whyWords } from '../../words/audit.ts';
import { roleName } from '../../words/roles.ts';
import { Export } from './export.tsx';
import { Filters, NO_FILTERS, queryOf, withNamed, type Named } from './filters.tsx';
import { SavedSearches } from './saved.tsx';

export type AuditRow = ValueOf<'audit.search'>['records'][number];

export const placeOf = ({ chain, seq }: Pick<AuditRow, 'chain' | 'seq'>): string =>
  `/audit/${encodeURIComponent(chain)}/${seq}`;

/** What it was about, as far as it leads somewhere. */
function About({ row: { deliveryId, linkId, resourceType, operatorId, count } }: { readonly row: AuditRow }) {
  const mayLook = useMay('deliveries.read');
  if (deliveryId !== undefined)
    return mayLook ? (
      <Link to={`/deliveries/${deliveryId}`}>
        <code>{deliveryId}</code>
      </Link>
    ) : (
      <code>{deliveryId}</code>
    );
  const id = linkId ?? operatorId;
  if (id !== undefined) return <code>{id}</code>;
  if (resourceType !== undefined) return resourceType;
  return count === undefined ? null : `${count.toLocaleString()} of them`;
}

const COLUMNS: readonly Column<AuditRow>[] = [
  {
    name: 'When',
    show: (row) => (
      <Link to={placeOf(row)}>
        <Time at={row.at} />
      </Link>
    ),
  },
  {
    name: 'What happened',
    show: ({ type, why, action, interaction, from, to }) => (
      <>
        {typeWords(type)}
        <div className="small quiet">
          {[
            why === undefined ? (interaction ?? actionWords(action)) : whyWords(why),
            from !== undefined && to !== undefined ? `${from} → ${to}` : to,
          ]
            .filter((one) => one !== undefined)
            .join(' · ')}
        </div>
      </>
    ),
  },
  {
    name: 'Who',
    show: ({ actor, client, roles }) => (
      <>
        {actor ?? client ?? <span className="quiet">nobody known</span>}
        <div className="small quiet">
          {actor !== undefined && client !== undefined ? `through ${client}` : (roles ?? []).map(roleName).join(', ')}
        </div>
      </>
    ),
  },
  {
    name: 'Outcome',
    show: ({ outcome }) => <State is={outcomeWords(outcome).toLowerCase()} />,
  },
  { name: 'About', show: (row) => <About row={row} /> },
];

export function Records({ named, onNamed }: { readonly named: Named; readonly onNamed: (named: Named) => void }) {
  const [address, change] = useQuery();
  const query = withNamed(queryOf(address), named);
  const { cursor, ...filters } = address;
  const found = useAsk('audit.search', {
    query: { ...query, ...(cursor === undefined ? {} : { cursor }), limit: 50 },
    ...(named.reason === '' ? {} : { reason: named.reason }),
  });
  const mayExport = useMay('audit.export');
  const onFilters = (next: Readonly<Record<string, string | undefined>>, who: Named): void => {
    onNamed(who);
    change(next);
    // The fields begin anew with another search, and who used the keyboard goes on at what was found.
    document.getElementById('found')?.focus();
  };
  return (
    <>
      <SavedSearches
        query={query}
        onUse={({ search: { patient = '', actor = '', ...rest } }) => {
          const isHandle = patient.startsWith('~m.');
          onFilters(
            { ...NO_FILTERS, ...rest, patient: isHandle ? patient : undefined },
            { mrn: isHandle ? '' : patient, actor, reason: named.reason },
          );
        }}
      />
      <Filters key={JSON.stringify([filters, named])} address={address} named={named} onChange={onFilters} />
      <section className="card" aria-labelledby="found">
        <div className="between">
          <h2 id="found" tabIndex={-1}>
            What was found
          </h2>
          {mayExport ? <Export query={query} reason={named.reason} /> : null}
        </div>
        <Shown of={found}>
          {({ records, next }) =>
            records.length === 0 ? (
              <p>No record is like that. Widen the times, or clear a filter.</p>
            ) : (
              <>
                <Table
                  caption="Records, newest first; the time leads to the record and its proof"
                  rows={records}
                  columns={COLUMNS}
                  keyOf={({ chain, seq }) => `${chain} ${seq}`}
                />
                <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
              </>
            )
          }
        </Shown>
      </section>
    </>
  );
}
