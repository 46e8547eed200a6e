import { Link } from 'wouter';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { AppLink, AppPick, useAppNames, type AppNames } from '../../ui/app-named.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import {
  adviceOf,
  isInTrouble,
  isState,
  stateMeaning,
  STATES,
  stateWord,
  topicWords,
} from '../../words/subscriptions.ts';
import type { Subscription } from '../../words/subscriptions.ts';

const PAGE = 50;
const LOOK_EVERY_MS = 5_000;

const columnsOf = (names: AppNames): readonly Column<Subscription>[] => [
  {
    name: 'Told of',
    show: (one) => (
      <>
        <Link to={`/subscriptions/${one.id}`}>{topicWords(one)}</Link>
        <div className="small quiet">
          <code>{one.id}</code>
          <br />
          since <Time at={one.madeAt} />
        </div>
      </>
    ),
  },
  { name: 'App', show: ({ clientId }) => <AppLink id={clientId} names={names} /> },
  {
    name: 'State',
    show: (one) => (
      <span title={stateMeaning(one.state)}>
        <State is={stateWord(one)} />
      </span>
    ),
  },
  {
    name: 'Last event',
    show: ({ lastEvent }) => (lastEvent === 0 ? 'none' : lastEvent.toLocaleString()),
    isNumber: true,
  },
  {
    name: 'Waiting',
    show: (one) => (
      <span className={one.waiting > 0 && isInTrouble(one) ? 'warn' : undefined}>{one.waiting.toLocaleString()}</span>
    ),
    isNumber: true,
  },
  { name: 'Last sent', show: ({ sentAt }) => <Time at={sentAt} /> },
  {
    name: 'What went wrong',
    show: (one) =>
      one.becauseText === null ? null : (
        <div className="why">
          <span className={isInTrouble(one) ? 'warn' : 'quiet'}>{one.becauseText}</span>
          {one.failingSince === null ? null : (
            <div className="small quiet">
              since <Time at={one.failingSince} />
            </div>
          )}
          <div className="small">
            <WithCode text={adviceOf(one) ?? ''} />
          </div>
        </div>
      ),
  },
];

/** What apps are told of, and how that stands. */
export function Subscriptions() {
  const [{ app, state: given, cursor }, change] = useQuery();
  const state = isState(given) ? given : undefined;
  const query = { client_id: app, state, cursor, limit: PAGE };
  const found = useAsk('subscriptions.list', { query }, cursor === undefined ? { everyMs: LOOK_EVERY_MS } : {});
  const names = useAppNames();
  const isFiltered = app !== undefined || state !== undefined;
  const command = `subscriptions list${state === undefined ? '' : ` --state ${state}`}${app === undefined ? '' : ` --client ${app}`}`;
  return (
    <Screen
      title="Subscriptions"
      actions={
        <span className="row">
          <Link to="/apps">Apps</Link>
          <CopyAs id="subscriptions.list" call={{ query }} command={command} />
        </span>
      }
    >
      <form className="card row" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <AppPick value={app} names={names} onChange={(to) => change({ app: to, cursor: undefined })} />
        <Pick
          label="State"
          value={state}
          of={STATES.map(([one, words]) => [one, words] as const)}
          any="any"
          onChange={(to) => change({ state: to, cursor: undefined })}
        />
        {isFiltered ? (
          <button
            type="button"
            className="plain"
            onClick={() => change({ app: undefined, state: undefined, cursor: undefined })}
          >
            Clear all
          </button>
        ) : null}
      </form>
      <Shown of={found}>
        {({ subscriptions, next }) =>
          subscriptions.length === 0 && next === null && cursor === undefined ? (
            <p className="card">
              {isFiltered
                ? 'No subscription is like that. Choose other filters.'
                : 'No app wants to be told of anything yet. An app subscribes by itself, with a scope that lets it.'}
            </p>
          ) : (
            <section className="card">
              <Table
                caption="Newest first; what is told opens one"
                rows={subscriptions}
                columns={columnsOf(names)}
                keyOf={({ id }) => id}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </section>
          )
        }
      </Shown>
    </Screen>
  );
}
