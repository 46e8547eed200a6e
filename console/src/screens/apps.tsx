import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { Table, type Column } from '../ui/table.tsx';

const KINDS = [
  ['public', 'in a browser or on a phone, where no secret stays secret'],
  ['symmetric', 'on a server that keeps a secret'],
  ['asymmetric', 'on a server that signs with a key of its own'],
  ['backend', 'a program without a person, which signs with a key of its own'],
] as const;
type Kind = (typeof KINDS)[number][0];
const isKind = (value: string): value is Kind => KINDS.some(([kind]) => kind === value);
const linesOf = (text: string): string[] => text.split(/\s+/).filter((one) => one !== '');

/** Something that ends: asked once more, then done. */
function Remove({ what, onRemove }: { readonly what: string; readonly onRemove: () => Promise<boolean> }) {
  const [isOpen, setOpen] = useState(false);
  const remove = async (): Promise<void> => {
    if (await onRemove()) setOpen(false);
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Remove …
      </button>
      {isOpen ? (
        <Dialog title={`Remove ${what}?`} onClose={() => setOpen(false)}>
          <p>Its tokens end at once, and it cannot be brought back.</p>
          <div className="row">
            <button type="button" className="danger" onClick={() => void remove()}>
              Remove
            </button>
            <button type="button" className="plain" onClick={() => setOpen(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function NewApp({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const { name, kind, scope, redirects, jwksUri } = textsOf(form, 'name', 'kind', 'scope', 'redirects', 'jwksUri');
    if (!isKind(kind)) return;
    const body = {
      name,
      kind,
      scope,
      ...(redirects === '' ? {} : { redirectUris: linesOf(redirects) }),
      ...(jwksUri === '' ? {} : { jwksUri }),
    };
    const isDone = await act.run(ask('apps.add', { body }), ({ id, secret }) =>
      secret === null ? `Registered as ${id}.` : `Registered as ${id}. Its secret, shown this once: ${secret}`,
    );
    if (!isDone) return;
    form.reset();
    onDone();
  };
  return (
    <details className="card">
      <summary>Register an app</summary>
      <form onSubmit={(event) => void onSubmit(event)}>
        <Field label="Name, as people see it when they are asked" name="name" required maxLength={100} />
        <fieldset>
          <legend>Where it runs</legend>
          {KINDS.map(([kind, words]) => (
            <label key={kind}>
              <input type="radio" name="kind" value={kind} required /> {kind}: {words}
            </label>
          ))}
        </fieldset>
        <Field
          label="The most that it may have, as SMART scopes"
          name="scope"
          required
          placeholder="launch openid fhirUser patient/*.rs"
        />
        <Field
          label="Addresses to which it is led back"
          name="redirects"
          hint="With spaces between them; none for a backend."
        />
        <Field label="Address of its public keys" name="jwksUri" type="url" hint="For apps that sign." />
        <Outcome of={act} />
        <button type="submit" disabled={act.isBusy}>
          Register
        </button>
      </form>
    </details>
  );
}

function NewAccount({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = textsOf(form, 'username', 'name', 'fhirUser', 'password');
    if (!(await act.run(ask('accounts.add', { body }), ({ username }) => `${username} can sign in.`))) return;
    form.reset();
    onDone();
  };
  return (
    <details className="card">
      <summary>Add a clinician</summary>
      <form onSubmit={(event) => void onSubmit(event)}>
        <Field label="User name" name="username" required maxLength={100} />
        <Field label="Name" name="name" required maxLength={100} />
        <Field label="Who it is at the EHR" name="fhirUser" required placeholder="Practitioner/1" />
        <Field
          label="First password, 12 characters or more"
          name="password"
          type="password"
          required
          minLength={12}
          autoComplete="new-password"
        />
        <Outcome of={act} />
        <button type="submit" disabled={act.isBusy}>
          Add
        </button>
      </form>
    </details>
  );
}

type App = ValueOf<'apps.list'>['clients'][number];
type Account = ValueOf<'accounts.list'>['accounts'][number];

export function Apps() {
  const apps = useAsk('apps.list');
  const accounts = useAsk('accounts.list');
  const mayChange = useMay('apps.change');
  const act = useAct();
  const removed = async (done: Promise<boolean>, again: () => void): Promise<boolean> => {
    const isDone = await done;
    if (isDone) again();
    return isDone;
  };
  const appColumns: readonly Column<App>[] = [
    { name: 'App', show: ({ name, id }) => `${name} (${id})` },
    { name: 'Kind', show: ({ kind }) => kind },
    { name: 'The most it may have', show: ({ scope }) => <code>{scope}</code> },
    {
      name: 'Act',
      show: ({ id, name }) =>
        mayChange ? (
          <Remove
            what={name}
            onRemove={() =>
              removed(
                act.run(ask('apps.remove', { params: { id } }), () => `${name} is removed.`),
                apps.again,
              )
            }
          />
        ) : null,
    },
  ];
  const accountColumns: readonly Column<Account>[] = [
    { name: 'Clinician', show: ({ name, username }) => `${name} (${username})` },
    { name: 'At the EHR', show: ({ fhirUser }) => fhirUser },
    { name: 'Wrong passwords', show: ({ wrongTries }) => wrongTries, isNumber: true },
    {
      name: 'Act',
      show: ({ id, username }) =>
        mayChange ? (
          <Remove
            what={username}
            onRemove={() =>
              removed(
                act.run(ask('accounts.remove', { params: { id } }), () => `${username} is removed.`),
                accounts.again,
              )
            }
          />
        ) : null,
    },
  ];
  return (
    <Screen title="Apps and people" actions={<CopyAs id="apps.list" command="clients list" />}>
      <Outcome of={act} />
      <section className="card" aria-labelledby="apps">
        <h2 id="apps">SMART apps</h2>
        <Shown of={apps}>
          {({ clients }) =>
            clients.length === 0 ? (
              <p>No app is registered.</p>
            ) : (
              <Table caption="Registered apps" rows={clients} columns={appColumns} keyOf={({ id }) => id} />
            )
          }
        </Shown>
      </section>
      {mayChange ? <NewApp onDone={apps.again} /> : null}
      <section className="card" aria-labelledby="people">
        <h2 id="people">Clinicians</h2>
        <Shown of={accounts}>
          {({ accounts: all }) =>
            all.length === 0 ? (
              <p>Nobody can sign in to an app yet.</p>
            ) : (
              <Table
                caption="People who can sign in to apps"
                rows={all}
                columns={accountColumns}
                keyOf={({ id }) => id}
              />
            )
          }
        </Shown>
      </section>
      {mayChange ? <NewAccount onDone={accounts.again} /> : null}
    </Screen>
  );
}
