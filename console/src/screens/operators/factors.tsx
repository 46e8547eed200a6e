import { useState } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { FACTORS } from '../../words/factors.ts';

type Factor = ValueOf<'operators.factors'>['factors'][number];

function List({ id, name }: { readonly id: string; readonly name: string }) {
  const found = useAsk('operators.factors', { params: { id } });
  const columns: readonly Column<Factor>[] = [
    { name: 'Factor', show: ({ label, kind }) => label || FACTORS[kind] },
    { name: 'Kind', show: ({ kind }) => FACTORS[kind] },
    { name: 'Last used', show: ({ usedAt }) => <Time at={usedAt} /> },
    {
      name: 'Act',
      show: ({ id: factor, label, kind }) => (
        <Confirm
          label="Take away …"
          title={`Take ${label || FACTORS[kind]} away from ${name}?`}
          act={{
            words: 'Take it away',
            run: (act) =>
              act.run(
                ask('operators.removeFactor', { params: { id, factor } }),
                () => 'It proves nothing any more, and their sessions have ended.',
              ),
          }}
          onDone={found.again}
        >
          <p>
            {name} signs in again with the password and what is left. The last one stays where their roles ask for a
            second factor: then reset the person.
          </p>
        </Confirm>
      ),
    },
  ];
  return (
    <Shown of={found}>
      {({ factors }) =>
        factors.length === 0 ? (
          <p>None is left.</p>
        ) : (
          <Table caption="What proves who it is" rows={factors} columns={columns} keyOf={({ id: factor }) => factor} />
        )
      }
    </Shown>
  );
}

/** The second factors of somebody, one of which may be lost. */
export function FactorsOf({
  id,
  name,
  onDone,
}: {
  readonly id: string;
  readonly name: string;
  readonly onDone: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    onDone();
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Second factors …
      </button>
      {isOpen ? (
        <Dialog title={`Second factors of ${name}`} onClose={close}>
          <List id={id} name={name} />
          <button type="button" className="plain" onClick={close}>
            Close
          </button>
        </Dialog>
      ) : null}
    </>
  );
}
