import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Boxes, tickedOf } from '../../ui/boxes.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Once } from '../../ui/once.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BY_NAME, roleName, ROLES } from '../../words/roles.ts';

type Key = ValueOf<'keys.list'>['keys'][number];

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['730', 'two years'],
  ['none', 'until somebody removes it'],
] as const;

function AddKey({ onDone }: { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [days, setDays] = useState<(typeof LIFETIMES)[number][0]>('90');
  const [made, setMade] = useState<ValueOf<'keys.add'> | null>(null);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    setMade(null);
    onDone();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = {
      ...textsOf(form, 'name'),
      roles: tickedOf(form, 'roles', ROLES),
      permissions: tickedOf(form, 'permissions', BY_NAME),
      ...(days === 'none' ? {} : { days: Number(days) }),
    };
    await act.run(ask('keys.add', { body }), (value) => {
      setMade(value);
      return `${body.name} is made.`;
    });
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Make a key …
      </button>
      {isOpen ? (
        <Dialog title="Make an API key" onClose={close}>
          {made === null ? (
            <form onSubmit={(event) => void onSubmit(event)}>
              <Field
                label="Name"
                name="name"
                required
                maxLength={100}
                placeholder="monitoring"
                hint="What the machine is for. The audit names it so."
              />
              <Boxes legend="Roles, which add up" name="roles" of={ROLES} />
              <Boxes legend="Only by name" name="permissions" of={BY_NAME} />
              <Pick label="It ends after" value={days} of={LIFETIMES} onChange={(to) => setDays(to ?? '90')} />
              <Outcome of={act} />
              <DialogButtons does="Make it" isBusy={act.isBusy} onClose={close} />
            </form>
          ) : (
            <>
              <Outcome of={act} />
              <Once
                label="The key"
                text={made.key}
                hint="Put it where the machine reads its secrets: Authorization: Bearer KEY."
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

const nameOfPermission = (one: string): string => BY_NAME.find(([value]) => value === one)?.[1] ?? one;

/** Keys of machines, without what proves them. */
export function KeysView({ nameOf }: { readonly nameOf: (id: string) => string }) {
  const keys = useAsk('keys.list');
  const mayChange = useMay('keys.change');
  const columns: readonly Column<Key>[] = [
    {
      name: 'Key',
      show: ({ name, id }) => (
        <>
          {name}
          <div className="small quiet">
            <code>{id}</code>
          </div>
        </>
      ),
    },
    {
      name: 'May',
      show: ({ roles, permissions }) => [...roles.map(roleName), ...permissions.map(nameOfPermission)].join(', '),
    },
    {
      name: 'Made',
      show: ({ madeAt, madeBy }) => (
        <>
          <Time at={madeAt} />
          <div className="small quiet">by {nameOf(madeBy)}</div>
        </>
      ),
    },
    {
      name: 'Ends',
      show: ({ expiresAt }) => (expiresAt === null ? <span className="warn">never</span> : <Time at={expiresAt} />),
    },
    { name: 'Last used', show: ({ usedAt }) => <Time at={usedAt} /> },
    ...(mayChange
      ? [
          {
            name: 'Acts',
            show: ({ id, name }: Key) => (
              <Confirm
                label="Remove …"
                title={`Remove ${name}?`}
                act={{
                  words: 'Remove',
                  run: (act) =>
                    act.run(ask('keys.remove', { params: { id } }), () => `${name} opens nothing from now on.`),
                }}
                onDone={keys.again}
              >
                <p>Whatever uses it is refused from now on. It cannot be brought back.</p>
              </Confirm>
            ),
          } satisfies Column<Key>,
        ]
      : []),
  ];
  return (
    <section className="card" aria-labelledby="keys">
      <div className="between">
        <h2 id="keys">API keys of machines</h2>
        {mayChange ? <AddKey onDone={keys.again} /> : null}
      </div>
      <Shown of={keys}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <p>No key is made. A machine that asks the admin API, such as monitoring, should have one of its own.</p>
          ) : (
            <Table caption="Keys; what proves them is not stored" rows={all} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Shown>
      <p className="small quiet">
        The token of the settings (CHARTGATE_ADMIN_TOKEN) may everything and is not listed; the audit calls it operator.
      </p>
    </section>
  );
}
