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
import { isState, levelWords, sizeWords, stateMeaning, STATES, typesWords, wrongOf } from '../../words/exports.ts';
import type { Export } from '../../words/exports.ts';

const PAGE = 50;
const LOOK_EVERY_MS = 5_000;

/** How many patients had their turn; while they are still looked up, that it goes on. */
export function ExportProgress({ of: { id, state, patients } }: { readonly of: Export }) {
  const { done, total } = patients;
  const isLookedUp = state === 'running' && total === 0;
  return (
    <span className="progress-row">
      <progress
        aria-label={`Progress of ${id}`}
        {...(isLookedUp
          ? {}
          : { value: state === 'complete' ? 1 : done, max: state === 'complete' ? 1 : Math.max(1, total) })}
      />
      <span>{isLookedUp ? 'looking patients up' : `${done.toLocaleString()} of ${total.toLocaleString()}`}</span>
    </span>
  );
}

const columnsOf = (names: AppNames): readonly Column<Export>[] => [
  { name: 'Started', show: ({ startedAt }) => <Time at={startedAt} /> },
  {
    name: 'What was asked',
    show: (one) => (
      <>
        <Link to={`/exports/${one.id}`}>{levelWords(one)}</Link>
        <div className="small quiet">
          {typesWords(one)}
          {one.since === null ? null : (
            <>
              , changed since <Time at={one.since} />
            </>
          )}
        </div>
      </>
    ),
  },
  { name: 'App', show: ({ clientId }) => <AppLink id={clientId} names={names} /> },
  {
    name: 'State',
    show: (one) => (
      <>
        <span title={stateMeaning(one.state)}>
          <State is={one.state} />
        </span>
        {one.error === null ? null : <div className="small warn">{wrongOf(one)?.what}</div>}
      </>
    ),
  },
  {
    name: 'Patients',
    show: (one) => (
      <>
        <ExportProgress of={one} />
        {one.patients.failed === 0 ? null : (
          <div className="small warn">{one.patients.failed.toLocaleString()} could not be read</div>
        )}
      </>
    ),
  },
  {
    name: 'Resources',
    show: ({ resources, bytes }) => (
      <>
        {resources.toLocaleString()}
        <div className="small quiet">{sizeWords(bytes)}</div>
      </>
    ),
    isNumber: true,
  },
  {
    name: 'Files until',
    show: ({ state, expiresAt }) =>
      expiresAt === null ? (
        <span className="quiet">{state === 'running' ? 'not there yet' : 'destroyed'}</span>
      ) : (
        <Time at={expiresAt} />
      ),
  },
];

/** Charts that apps take away in bulk. */
export function Exports() {
  const [{ app, state: given, cursor }, change] = useQuery();
  const state = isState(given) ? given : undefined;
  const query = { client_id: app, state, cursor, limit: PAGE };
  const found = useAsk('exports.list', { query }, cursor === undefined ? { everyMs: LOOK_EVERY_MS } : {});
  const names = useAppNames();
  const isFiltered = app !== undefined || state !== undefined;
  const command = `exports list${app === undefined ? '' : ` --client ${app}`}${state === undefined ? '' : ` --state ${state}`}`;
  return (
    <Screen
      title="Bulk exports"
      actions={
        <span className="row">
          <Link to="/apps">Apps</Link>
          <CopyAs id="exports.list" call={{ query }} command={command} />
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
        {({ exports: all, next }) =>
          all.length === 0 && next === null && cursor === undefined ? (
            <p className="card">
              {isFiltered
                ? 'No export is like that. Choose other filters.'
                : 'No app has taken charts away in bulk. A program without a person starts an export by itself.'}
            </p>
          ) : (
            <section className="card">
              <Table
                caption="Newest first; what was asked opens one"
                rows={all}
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
