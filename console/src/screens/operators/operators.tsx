import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { viewOf, Views } from '../../ui/pick.tsx';
import { Screen } from '../../ui/screen.tsx';
import { KeysView } from './keys.tsx';
import { PeopleView } from './people.tsx';
import { SessionTable } from './sessions.tsx';

const VIEWS = [
  ['people', 'People'],
  ['keys', 'API keys'],
  ['sessions', 'Sessions'],
] as const;

function EverybodysSessions({ nameOf }: { readonly nameOf: (id: string) => string }) {
  const sessions = useAsk('session.list', undefined, { everyMs: 15_000 });
  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">Sessions of everybody</h2>
      <SessionTable of={sessions} nameOf={nameOf} caption="Who is signed in, and where" />
    </section>
  );
}

/** Who works here, by which machines, and who is signed in. */
export function Operators() {
  const [address, change] = useQuery();
  const people = useAsk('operators.list');
  const mayKeys = useMay('keys.read');
  const views = mayKeys ? VIEWS : ([VIEWS[0], VIEWS[2]] as const);
  const view = viewOf(address['view'], views);
  const names = new Map(people.value?.operators.map(({ id, displayName }) => [id, displayName]));
  const nameOf = (id: string): string => names.get(id) ?? (id === 'key_static' ? 'the token of the settings' : id);
  return (
    <Screen
      title="Operators"
      actions={
        view === 'sessions' ? (
          <CopyAs id="session.list" />
        ) : view === 'keys' ? (
          <CopyAs id="keys.list" command="keys list" />
        ) : (
          <CopyAs id="operators.list" command="operators list" />
        )
      }
    >
      <Views
        label="Views of operators"
        value={view}
        of={views}
        onChange={(to) => change({ view: to === 'people' ? undefined : to })}
      />
      {view === 'people' ? <PeopleView of={people} /> : null}
      {view === 'keys' ? <KeysView nameOf={nameOf} /> : null}
      {view === 'sessions' ? <EverybodysSessions nameOf={nameOf} /> : null}
    </Screen>
  );
}
