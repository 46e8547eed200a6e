import type { SyntheticEvent } from 'react';
import type { Handled } from '../../../src/admin/contract/handle-shape.ts';
import type { ValueOf } from '../api/ask.ts';
import { handleOf, useHandles, type FindHandle } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { textsOf } from '../ui/field.tsx';
import { NamedFilter, PatientLink, UserLink } from '../ui/named.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { ImportLinks } from './link-import.tsx';
import { NewLink } from './link-make.tsx';
import { LinkedUser } from './link-user.tsx';

const STATUSES = ['proposed', 'confirmed', 'revoked'] as const;
const isStatus = (value: string | undefined): value is (typeof STATUSES)[number] =>
  STATUSES.some((one) => one === value);

type Link = ValueOf<'links.list'>['links'][number];
const columnsOf = (find: FindHandle): readonly Column<Link>[] => [
  {
    name: 'User of the source',
    show: ({ userId, clientUuid }) => <UserLink user={userId} client={clientUuid} find={find} />,
  },
  { name: 'MRN', show: ({ mrn }) => <PatientLink mrn={mrn} find={find} /> },
  { name: 'Status', show: ({ status }) => <State is={status} /> },
  { name: 'Known by', show: ({ evidence }) => evidence },
  { name: 'Changed', show: ({ changedAt }) => <Time at={changedAt} /> },
  { name: 'By', show: ({ actor }) => actor },
];

type Given = Readonly<Record<string, string | undefined>>;
const commandOf = ({ status, user, client, mrn }: Given): string =>
  [
    'links list',
    ...Object.entries({ status, user, client, mrn }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name} '${value.replaceAll("'", '')}'`],
    ),
  ].join(' ');

function Find({ given, onChange }: { readonly given: Given; readonly onChange: (changes: Given) => void }) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const changes: Record<string, string> = {};
    for (const [of, typed] of Object.entries(textsOf(event.currentTarget, 'user', 'mrn')) as [Handled, string][]) {
      if (typed === '') continue;
      const made = await handleOf(of, typed);
      if (made.kind === 'refused') return void act.run(Promise.resolve(made), () => '');
      changes[of] = made.value;
    }
    onChange(changes);
  };
  return (
    <form className="card row" aria-label="Filters" onSubmit={(event) => void onSubmit(event)}>
      <Choice label="Status" value={given['status']} of={STATUSES} onChange={(status) => onChange({ status })} />
      <NamedFilter of="user" handle={given['user']} onClear={() => onChange({ user: undefined, client: undefined })} />
      <NamedFilter of="mrn" handle={given['mrn']} onClear={() => onChange({ mrn: undefined })} />
      <button type="submit">Find</button>
      {act.said === null ? null : <Outcome of={act} />}
    </form>
  );
}

export function Links() {
  const [given, change] = useQuery();
  const { status, user, client, mrn, cursor } = given;
  const query = {
    status: isStatus(status) ? status : undefined,
    user_id: user,
    client_uuid: user === undefined ? undefined : client,
    mrn,
    cursor,
    limit: 50,
  };
  const found = useAsk('links.list', { query });
  const mayChange = useMay('links.change');
  const rows = found.value?.links ?? [];
  const find = useHandles(
    rows.map((row) => row.mrn),
    rows.map((row) => row.userId),
  );
  return (
    <Screen title="Links" actions={<CopyAs id="links.list" call={{ query }} command={commandOf(given)} />}>
      {mayChange && user === undefined ? (
        <section className="card" aria-labelledby="new-link">
          <h2 id="new-link">Link a user</h2>
          <NewLink onDone={found.again} />
          <details>
            <summary>Many at once, as CSV</summary>
            <ImportLinks onDone={found.again} />
          </details>
        </section>
      ) : null}
      <Find given={given} onChange={(changes) => change({ ...changes, cursor: undefined })} />
      {user === undefined ? null : <LinkedUser key={user} of={{ user, client }} onDone={found.again} />}
      <Shown of={found}>
        {({ links, next }) =>
          links.length === 0 ? (
            <p>No link is like that. {mayChange ? 'A user whose data waits is linked above.' : ''}</p>
          ) : (
            <>
              <Table caption="Links, newest first" rows={links} columns={columnsOf(find)} keyOf={({ id }) => id} />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
