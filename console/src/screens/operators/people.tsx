import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay, useSession } from '../../api/session.tsx';
import type { Asked } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Boxes, tickedOf } from '../../ui/boxes.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Once } from '../../ui/once.tsx';
import { Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { FACTORS } from '../../words/factors.ts';
import { roleName, ROLES } from '../../words/roles.ts';
import { FactorsOf } from './factors.tsx';

export type People = ValueOf<'operators.list'>;
type Person = People['operators'][number];

const LINK_HINT = 'Give it to the person over a way that you trust. It sets the password, once, until';

function AddPerson({ onDone }: { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<ValueOf<'operators.add'> | null>(null);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    setMade(null);
    onDone();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = { ...textsOf(form, 'name', 'displayName'), roles: tickedOf(form, 'roles', ROLES) };
    await act.run(ask('operators.add', { body }), (value) => {
      setMade(value);
      return `${body.displayName} is added.`;
    });
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a person …
      </button>
      {isOpen ? (
        <Dialog title="Add a person" onClose={close}>
          {made === null ? (
            <form onSubmit={(event) => void onSubmit(event)}>
              <Field
                label="Name to sign in with"
                name="name"
                required
                maxLength={100}
                hint="The audit names the person by it. It stays."
              />
              <Field label="Name, as others read it" name="displayName" required maxLength={100} />
              <Boxes legend="Roles, which add up" name="roles" of={ROLES} />
              <Outcome of={act} />
              <DialogButtons does="Add" isBusy={act.isBusy} onClose={close} />
            </form>
          ) : (
            <>
              <Outcome of={act} />
              <Once
                label="One-time link"
                text={made.link}
                hint={`${LINK_HINT} ${new Date(made.linkExpiresAt).toLocaleString()}.`}
              />
              <Recorded of={act} />
              <button type="button" onClick={close}>
                I have it
              </button>
            </>
          )}
        </Dialog>
      ) : null}
    </>
  );
}

function ChangeRoles({ of: person, onDone }: { readonly of: Person; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const roles = tickedOf(event.currentTarget, 'roles', ROLES);
    const call = { params: { id: person.id }, body: { roles } };
    await act.run(ask('operators.setRoles', call), ({ roles: now }) => `From now on: ${now.map(roleName).join(', ')}.`);
  };
  const close = (): void => {
    setOpen(false);
    if (act.said?.isGood === true) onDone();
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Roles …
      </button>
      {isOpen ? (
        <Dialog title={`Roles of ${person.displayName}`} onClose={close}>
          <p>They hold from the next click on. Who has an open session keeps it.</p>
          <form onSubmit={(event) => void onSubmit(event)}>
            <Boxes legend="Roles, which add up" name="roles" of={ROLES} chosen={person.roles} />
            <Outcome of={act} />
            <Recorded of={act} />
            <DialogButtons does="Set" isBusy={act.isBusy} closes="Close" onClose={close} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

function Reset({ of: person, onDone }: { readonly of: Person; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<ValueOf<'operators.reset'> | null>(null);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (made !== null) onDone();
    setMade(null);
  };
  const reset = (): Promise<boolean> =>
    act.run(ask('operators.reset', { params: { id: person.id } }), (value) => {
      setMade(value);
      return 'Password, second factors and sessions are gone.';
    });
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Reset …
      </button>
      {isOpen ? (
        <Dialog title={`Reset ${person.displayName}?`} onClose={close}>
          {made === null ? (
            <p>
              For who lost the password or the second factor. The password, all second factors and all sessions end at
              once; you are shown a link for another password.
            </p>
          ) : (
            <Once
              label="One-time link"
              text={made.link}
              hint={`${LINK_HINT} ${new Date(made.linkExpiresAt).toLocaleString()}.`}
            />
          )}
          <Outcome of={act} />
          <Recorded of={act} />
          <div className="row">
            {made === null ? (
              <button type="button" className="danger" disabled={act.isBusy} onClick={() => void reset()}>
                Reset
              </button>
            ) : null}
            <button type="button" className="plain" onClick={close}>
              {made === null ? 'Leave it' : 'I have it'}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function Acts({ of: person, onDone }: { readonly of: Person; readonly onDone: () => void }) {
  const { id, displayName, state, signsInBy } = person;
  const params = { id };
  const isProviders = signsInBy === 'provider';
  return (
    <div className="row-acts">
      {isProviders ? null : <ChangeRoles of={person} onDone={onDone} />}
      {person.factors.length === 0 ? null : <FactorsOf id={id} name={displayName} onDone={onDone} />}
      {isProviders ? null : <Reset of={person} onDone={onDone} />}
      {state === 'active' ? (
        <Confirm
          label="Disable …"
          title={`Disable ${displayName}?`}
          act={{
            words: 'Disable',
            run: (act) => act.run(ask('operators.disable', { params }), () => `${displayName} is let in nowhere.`),
          }}
          onDone={onDone}
        >
          <p>Nobody comes in by this account until somebody enables it. Its sessions end at once.</p>
        </Confirm>
      ) : (
        <Confirm
          label="Enable …"
          title={`Enable ${displayName}?`}
          tone="usual"
          act={{
            words: 'Enable',
            run: (act) => act.run(ask('operators.enable', { params }), () => `${displayName} may sign in again.`),
          }}
          onDone={onDone}
        >
          <p>Password, second factors and roles are as they were.</p>
        </Confirm>
      )}
      <Confirm
        label="Remove …"
        title={`Remove ${displayName}?`}
        act={{
          words: 'Remove',
          run: (act) => act.run(ask('operators.remove', { params }), () => `${displayName} is removed.`),
        }}
        onDone={onDone}
      >
        <p>
          The account, its second factors, sessions and saved searches go, and cannot be brought back. What the person
          did stays in the audit. To keep somebody out for a while, disable the account.
        </p>
      </Confirm>
    </div>
  );
}

export function PeopleView({ of }: { readonly of: Asked<People> }) {
  const mayChange = useMay('operators.change');
  const { id: own } = useSession();
  const columns: readonly Column<Person>[] = [
    {
      name: 'Person',
      show: ({ id, name, displayName }) => (
        <>
          {displayName}
          {id === own ? <span className="quiet"> (you)</span> : null}
          <div className="small quiet">{name}</div>
        </>
      ),
    },
    { name: 'Roles', show: ({ roles }) => roles.map(roleName).join(', ') },
    {
      name: 'Signs in by',
      show: ({ signsInBy, isReady, factors }) => (
        <>
          {signsInBy === 'provider' ? 'the identity provider' : isReady ? 'password' : 'no password yet'}
          <div className="small quiet">
            {signsInBy === 'provider'
              ? 'its groups give the roles'
              : factors.length === 0
                ? 'no second factor'
                : factors.map((one) => FACTORS[one]).join(', ')}
          </div>
        </>
      ),
    },
    { name: 'Last signed in', show: ({ signedInAt }) => <Time at={signedInAt} /> },
    { name: 'State', show: ({ state }) => <State is={state} /> },
    ...(mayChange
      ? [{ name: 'Acts', show: (person: Person) => <Acts of={person} onDone={of.again} /> } satisfies Column<Person>]
      : []),
  ];
  return (
    <section className="card" aria-labelledby="people">
      <div className="between">
        <h2 id="people">People</h2>
        {mayChange ? <AddPerson onDone={of.again} /> : null}
      </div>
      <Shown of={of}>
        {({ operators }) =>
          operators.length === 0 ? (
            <p>Nobody has an account yet. Add yourself first.</p>
          ) : (
            <Table caption="Who works here" rows={operators} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Shown>
      <details>
        <summary>What each role may</summary>
        <dl className="facts">
          {ROLES.map(([role, name, words]) => (
            <div className="contents" key={role}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
