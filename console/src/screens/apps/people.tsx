import { useState, type SyntheticEvent } from 'react';
import { Link } from 'wouter';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Grants } from './grants.tsx';

type Account = ValueOf<'accounts.list'>['accounts'][number];

const PASSWORD_HINT = '12 characters or more. Tell it over a way that you trust.';

function AddClinician({ onDone }: { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (act.said?.isGood === true) onDone();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = textsOf(form, 'username', 'name', 'fhirUser', 'password');
    if (await act.run(ask('accounts.add', { body }), ({ username }) => `${username} can sign in.`)) form.reset();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a clinician …
      </button>
      {isOpen ? (
        <Dialog title="Add a clinician" onClose={close}>
          <form onSubmit={(event) => void onSubmit(event)}>
            <Field label="User name" name="username" required maxLength={100} />
            <Field label="Name" name="name" required maxLength={100} placeholder="Dr Ann Example" />
            <Field
              label="Who it is at the EHR"
              name="fhirUser"
              required
              placeholder="Practitioner/1"
              pattern="(Practitioner|PractitionerRole)/[A-Za-z0-9.\-]{1,64}"
              hint="Apps are told this, and the EHR’s audit has it."
            />
            <Field
              label="First password"
              name="password"
              type="password"
              required
              minLength={12}
              autoComplete="new-password"
              hint={PASSWORD_HINT}
            />
            <Outcome of={act} />
            <Recorded of={act} />
            <DialogButtons does="Add" isBusy={act.isBusy} closes="Close" onClose={close} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

/** Who vouches for the person. */
const signsInBy = ({ origin, issuer, secondFactor }: Account): string => {
  if (origin === 'provider') return issuer ?? '';
  return secondFactor === 'none' ? 'password' : 'password and code';
};

/** The people who sign in to apps. */
export function Clinicians() {
  const accounts = useAsk('accounts.list');
  const mayChange = useMay('apps.change');
  const columns: readonly Column<Account>[] = [
    {
      name: 'Clinician',
      show: ({ id, name, username }) => (
        <>
          <Link to={`/apps/people/${encodeURIComponent(id)}`}>{name}</Link>
          <div className="small quiet">{username}</div>
        </>
      ),
    },
    { name: 'At the EHR', show: ({ fhirUser }) => <code>{fhirUser}</code> },
    { name: 'Signs in by', show: signsInBy },
    {
      name: 'Wrong passwords',
      show: ({ wrongTries }) => <span className={wrongTries > 0 ? 'warn' : undefined}>{wrongTries}</span>,
      isNumber: true,
    },
    { name: 'State', show: ({ state }) => <State is={state} /> },
  ];
  return (
    <section className="card" aria-labelledby="people">
      <div className="between">
        <h2 id="people">Clinicians</h2>
        {mayChange ? <AddClinician onDone={accounts.again} /> : null}
      </div>
      <Shown of={accounts}>
        {({ accounts: all }) =>
          all.length === 0 ? (
            <p>Nobody can sign in to an app yet. Add a clinician.</p>
          ) : (
            <Table caption="People who can sign in to apps" rows={all} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Shown>
    </section>
  );
}

function ResetPassword({ of: { id, name }, onDone }: { readonly of: Account; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (act.said?.isGood === true) onDone();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = textsOf(form, 'password');
    if (await act.run(ask('accounts.reset', { params: { id }, body }), () => 'The password is set.')) form.reset();
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Another password …
      </button>
      {isOpen ? (
        <Dialog title={`Another password for ${name}`} onClose={close}>
          <p>Sessions and tokens end at once.</p>
          <form onSubmit={(event) => void onSubmit(event)}>
            <Field
              label="New password"
              name="password"
              type="password"
              required
              minLength={12}
              autoComplete="new-password"
              hint={PASSWORD_HINT}
            />
            <Outcome of={act} />
            <Recorded of={act} />
            <DialogButtons does="Set it" isBusy={act.isBusy} isDanger closes="Close" onClose={close} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

function Acts({ of: person, onDone }: { readonly of: Account; readonly onDone: () => void }) {
  const { id, name, state, wrongTries, origin, secondFactor } = person;
  const params = { id };
  return (
    <div className="row">
      {origin === 'local' ? <ResetPassword of={person} onDone={onDone} /> : null}
      {secondFactor === 'none' ? null : (
        <Confirm
          label="Reset second factor …"
          title={`Reset the second factor of ${name}?`}
          act={{
            words: 'Reset',
            run: (act) => act.run(ask('accounts.resetFactor', { params }), () => 'The second factor is gone.'),
          }}
          onDone={onDone}
        >
          <p>
            The authenticator app counts no more, and sessions and tokens end at once. Where a second factor is asked of
            everybody, another app is added at the next sign-in.
          </p>
        </Confirm>
      )}
      {wrongTries === 0 ? null : (
        <Confirm
          label="Unlock …"
          title={`Unlock ${name}?`}
          tone="usual"
          act={{
            words: 'Unlock',
            run: (act) => act.run(ask('accounts.unlock', { params }), () => `${name} need not wait.`),
          }}
          onDone={onDone}
        >
          <p>The {wrongTries} wrong passwords are forgotten, and the waiting that they led to.</p>
        </Confirm>
      )}
      {state === 'active' ? (
        <Confirm
          label="Disable …"
          title={`Disable ${name}?`}
          act={{
            words: 'Disable',
            run: (act) => act.run(ask('accounts.disable', { params }), () => `${name} is let in nowhere.`),
          }}
          onDone={onDone}
        >
          <p>The person is let in nowhere until somebody enables the account. Sessions and tokens end at once.</p>
        </Confirm>
      ) : (
        <Confirm
          label="Enable …"
          title={`Enable ${name}?`}
          tone="usual"
          act={{
            words: 'Enable',
            run: (act) => act.run(ask('accounts.enable', { params }), () => `${name} may sign in again.`),
          }}
          onDone={onDone}
        >
          <p>The password is as it was; apps are allowed anew.</p>
        </Confirm>
      )}
      <Confirm
        label="Remove …"
        title={`Remove ${name}?`}
        act={{
          words: 'Remove',
          run: (act) => act.run(ask('accounts.remove', { params }), () => `${name} is removed.`),
        }}
        onDone={onDone}
      >
        <p>The tokens end at once, and the account cannot be brought back. What the person saw stays in the audit.</p>
      </Confirm>
    </div>
  );
}

/** One clinician: the account, and what was allowed in their name. */
export function OneClinician({ id }: { readonly id: string }) {
  const accounts = useAsk('accounts.list');
  const apps = useAsk('apps.list');
  const mayChange = useMay('apps.change');
  const nameOf = (client: string): string => apps.value?.clients.find((one) => one.id === client)?.name ?? client;
  return (
    <Screen
      title="Clinician"
      actions={<CopyAs id="grants.list" call={{ query: { account_id: id } }} command={`grants list --account ${id}`} />}
    >
      <p>
        <Link to="/apps?view=people">All clinicians</Link>
      </p>
      <Shown of={accounts}>
        {({ accounts: all }) => {
          const person = all.find((one) => one.id === id);
          if (person === undefined) return <p className="card">Nobody has this account. It may have been removed.</p>;
          return (
            <>
              <section className="card" aria-labelledby="person">
                <div className="between">
                  <h2 id="person">{person.name}</h2>
                  <State is={person.state} />
                </div>
                <dl className="facts">
                  <dt>User name</dt>
                  <dd>{person.username}</dd>
                  <dt>At the EHR</dt>
                  <dd>
                    <code>{person.fhirUser}</code>
                  </dd>
                  <dt>Wrong passwords</dt>
                  <dd>{person.wrongTries === 0 ? 'none since the last sign-in' : person.wrongTries}</dd>
                </dl>
                {mayChange ? <Acts of={person} onDone={accounts.again} /> : null}
              </section>
              <Grants key={person.state} of={{ account_id: id }} nameOf={nameOf} />
            </>
          );
        }}
      </Shown>
    </Screen>
  );
}
