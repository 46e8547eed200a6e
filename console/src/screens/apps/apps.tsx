import { useState } from 'react';
import { Link } from 'wouter';
import { ask, type AskOf, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk, type Asked } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Once } from '../../ui/once.tsx';
import { viewOf, Views } from '../../ui/pick.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { AppForm, kindName, type App } from './app-form.tsx';
import { TestLaunch } from './launch.tsx';
import { Clinicians } from './people.tsx';

const VIEWS = [
  ['apps', 'SMART apps'],
  ['people', 'Clinicians'],
  ['launch', 'Test launch'],
] as const;

function Register({ onDone }: { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<ValueOf<'apps.add'> | null>(null);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (made !== null) onDone();
    setMade(null);
  };
  const register = (body: AskOf<'apps.add'>['body']): Promise<boolean> =>
    act.run(ask('apps.add', { body }), (value) => {
      setMade(value);
      return `${value.name} is registered as ${value.id}.`;
    });
  const wrong = (message: string): void =>
    void act.run(Promise.resolve({ kind: 'refused', refusal: { code: null, message, problem: {} } }), () => '');
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Register an app …
      </button>
      {isOpen ? (
        <Dialog title="Register an app" onClose={close}>
          {made === null ? (
            <AppForm words="Register" isBusy={act.isBusy} onGiven={(body) => void register(body)} onWrong={wrong} />
          ) : null}
          <Outcome of={act} />
          {made === null || made.secret === null ? null : (
            <Once label="Its secret" text={made.secret} hint="Put it where the app’s server reads its secrets." />
          )}
          <Recorded of={act} />
          <button type="button" className={made === null ? 'plain' : undefined} onClick={close}>
            {made === null ? 'Leave it' : 'Close'}
          </button>
        </Dialog>
      ) : null}
    </>
  );
}

const COLUMNS: readonly Column<App>[] = [
  {
    name: 'App',
    show: ({ id, name }) => (
      <>
        <Link to={`/apps/${encodeURIComponent(id)}`}>{name}</Link>
        <div className="small quiet">
          <code>{id}</code>
        </div>
      </>
    ),
  },
  { name: 'Runs', show: ({ kind }) => kindName(kind) },
  { name: 'The most it may have', show: ({ scope }) => <code>{scope}</code> },
  { name: 'State', show: ({ state }) => <State is={state} /> },
];

function AppList({ of }: { readonly of: Asked<ValueOf<'apps.list'>> }) {
  const mayChange = useMay('apps.change');
  return (
    <section className="card" aria-labelledby="apps">
      <div className="between">
        <h2 id="apps">SMART apps</h2>
        {mayChange ? <Register onDone={of.again} /> : null}
      </div>
      <Shown of={of}>
        {({ clients }) =>
          clients.length === 0 ? (
            <p>No app is registered. Register one, then try it by a test launch.</p>
          ) : (
            <Table
              caption="Registered apps; the name leads to what each was given"
              rows={clients}
              columns={COLUMNS}
              keyOf={({ id }) => id}
            />
          )
        }
      </Shown>
    </section>
  );
}

/** Who reads through us: apps, and the clinicians who sign in to them. */
export function Apps() {
  const [address, change] = useQuery();
  const apps = useAsk('apps.list');
  const mayLaunch = useMay('apps.launch');
  const views = mayLaunch ? VIEWS : ([VIEWS[0], VIEWS[1]] as const);
  const view = viewOf(address['view'], views);
  return (
    <Screen
      title="Apps and people"
      actions={
        view === 'people' ? (
          <CopyAs id="accounts.list" command="accounts list" />
        ) : (
          <CopyAs id="apps.list" command="clients list" />
        )
      }
    >
      <Views
        label="Views of apps and people"
        value={view}
        of={views}
        onChange={(to) => change({ view: to === 'apps' ? undefined : to })}
      />
      {view === 'apps' ? <AppList of={apps} /> : null}
      {view === 'people' ? <Clinicians /> : null}
      {view === 'launch' ? <Shown of={apps}>{({ clients }) => <TestLaunch apps={clients} />}</Shown> : null}
    </Screen>
  );
}
