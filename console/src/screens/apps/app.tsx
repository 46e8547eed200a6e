import { Link } from 'wouter';
import { ask, type Reply } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct, type Act } from '../../ui/act.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { AppForm, kindName, type App } from './app-form.tsx';
import { Grants } from './grants.tsx';

function Facts({ of }: { readonly of: App }) {
  const keys = (of.jwks as { readonly keys?: readonly { readonly kid?: string; readonly kty?: string }[] } | null)
    ?.keys;
  return (
    <dl className="facts">
      <dt>Client id</dt>
      <dd>
        <code>{of.id}</code>
      </dd>
      <dt>Runs</dt>
      <dd>{kindName(of.kind)}</dd>
      <dt>The most it may have</dt>
      <dd>
        <code>{of.scope}</code>
      </dd>
      {of.redirectUris.length === 0 ? null : (
        <>
          <dt>Led back to</dt>
          <dd>{of.redirectUris.join(', ')}</dd>
        </>
      )}
      {of.launchUrl === null ? null : (
        <>
          <dt>Launched at</dt>
          <dd>{of.launchUrl}</dd>
        </>
      )}
      {of.jwksUri === null ? null : (
        <>
          <dt>Keys are read at</dt>
          <dd>{of.jwksUri}</dd>
        </>
      )}
      {keys === undefined ? null : (
        <>
          <dt>Public keys</dt>
          <dd>{keys.map(({ kid, kty }) => `${kid ?? 'unnamed'} (${kty ?? 'unknown'})`).join(', ')}</dd>
        </>
      )}
    </dl>
  );
}

/** Disabling ends whatever the app was given; enabling lets it ask again. */
async function signOutAll(id: string): Promise<Reply<unknown>> {
  const ended = await ask('apps.disable', { params: { id } });
  if (ended.kind === 'refused') return ended;
  const again = await ask('apps.enable', { params: { id } });
  // What the reader wanted was done by the first of the two.
  return again.kind === 'refused' ? again : ended;
}

function Acts({
  of: { id, name, state },
  onDone,
  onGone,
}: {
  readonly of: App;
  readonly onDone: () => void;
  readonly onGone: () => void;
}) {
  const params = { id };
  return (
    <div className="row">
      {state === 'active' ? (
        <>
          <Confirm
            label="Sign out of everything …"
            title={`End all that ${name} was given?`}
            act={{
              words: 'End all of it',
              run: (act: Act) => act.run(signOutAll(id), () => 'Every consent and token of it has ended.'),
            }}
            onDone={onDone}
          >
            <p>
              All consents and tokens end at once. The app stays registered, and people are asked again when they come
              next.
            </p>
          </Confirm>
          <Confirm
            label="Disable …"
            title={`Disable ${name}?`}
            act={{
              words: 'Disable',
              run: (act: Act) => act.run(ask('apps.disable', { params }), () => `${name} gets nothing from now on.`),
            }}
            onDone={onDone}
          >
            <p>The app gets nothing until somebody enables it. What it was given ends at once, and stays ended.</p>
          </Confirm>
        </>
      ) : (
        <Confirm
          label="Enable …"
          title={`Enable ${name}?`}
          tone="usual"
          act={{
            words: 'Enable',
            run: (act: Act) => act.run(ask('apps.enable', { params }), () => `${name} may ask again.`),
          }}
          onDone={onDone}
        >
          <p>The app may ask again; people allow it anew.</p>
        </Confirm>
      )}
      <Confirm
        label="Remove …"
        title={`Remove ${name}?`}
        act={{
          words: 'Remove',
          run: (act: Act) => act.run(ask('apps.remove', { params }), () => `${name} is removed.`),
        }}
        onDone={onGone}
      >
        <p>Its tokens end at once, and it cannot be brought back. What it saw stays in the audit.</p>
      </Confirm>
    </div>
  );
}

function Edit({ of, onDone }: { readonly of: App; readonly onDone: () => void }) {
  const act = useAct();
  const change = async (body: Parameters<Parameters<typeof AppForm>[0]['onGiven']>[0]): Promise<void> => {
    const { kind: _kind, id: _id, ...rest } = body;
    if (await act.run(ask('apps.edit', { params: { id: of.id }, body: rest }), () => 'Changed.')) onDone();
  };
  const wrong = (message: string): void =>
    void act.run(Promise.resolve({ kind: 'refused', refusal: { code: null, message, problem: {} } }), () => '');
  return (
    <details className="card">
      <summary>Change the app</summary>
      <p>Id, kind and secret stay. Where the scopes become less, everything that it was given ends.</p>
      <AppForm of={of} words="Change it" isBusy={act.isBusy} onGiven={(body) => void change(body)} onWrong={wrong} />
      <Outcome of={act} />
      <Recorded of={act} />
    </details>
  );
}

/** One app: what it is, what it was given, and what ends it. */
export function OneApp({ id }: { readonly id: string }) {
  const apps = useAsk('apps.list');
  const accounts = useAsk('accounts.list');
  const mayChange = useMay('apps.change');
  const nameOf = (account: string): string =>
    accounts.value?.accounts.find((one) => one.id === account)?.name ?? account;
  return (
    <Screen
      title="App"
      actions={<CopyAs id="grants.list" call={{ query: { client_id: id } }} command={`grants list --client ${id}`} />}
    >
      <p>
        <Link to="/apps">All apps</Link>
      </p>
      <Shown of={apps}>
        {({ clients }) => {
          const app = clients.find((one) => one.id === id);
          if (app === undefined)
            return <p className="card">No app of this id is registered. It may have been removed.</p>;
          return (
            <>
              <section className="card" aria-labelledby="app">
                <div className="between">
                  <h2 id="app">{app.name}</h2>
                  <State is={app.state} />
                </div>
                <Facts of={app} />
                <p className="row">
                  <Link to={`/subscriptions?app=${encodeURIComponent(id)}`}>What it is told of</Link>
                  <Link to={`/exports?app=${encodeURIComponent(id)}`}>Its bulk exports</Link>
                </p>
                {mayChange ? <Acts of={app} onDone={apps.again} onGone={apps.again} /> : null}
              </section>
              <Grants key={app.state} of={{ client_id: id }} nameOf={nameOf} />
              {mayChange ? <Edit key={JSON.stringify(app)} of={app} onDone={apps.again} /> : null}
            </>
          );
        }}
      </Shown>
    </Screen>
  );
}
