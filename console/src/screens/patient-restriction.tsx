import { LockIcon } from '@primer/octicons-react';
import { useState, type SyntheticEvent } from 'react';
import { ask } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../ui/act.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogButtons } from '../ui/dialog-buttons.tsx';
import { textsOf } from '../ui/field.tsx';
import { ReasonField } from '../ui/reason-field.tsx';
import { Shown } from '../ui/screen.tsx';

const ACTS = {
  restrict: {
    button: 'Restrict …',
    title: 'Restrict this patient',
    does: 'Restrict',
    means:
      'From then on nobody is shown anything of this patient without saying why, and lists leave out whose it is. What is on its way to the chart goes on.',
    done: 'The patient is restricted.',
  },
  lift: {
    button: 'Lift the restriction …',
    title: 'Lift the restriction',
    does: 'Lift it',
    means: 'From then on the patient is shown to whoever may see patients, without a reason.',
    done: 'The patient is not restricted any more.',
  },
} as const;

function Change({
  mrn,
  kind,
  onDone,
}: {
  readonly mrn: string;
  readonly kind: keyof typeof ACTS;
  readonly onDone: (isRestricted: boolean) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const { button, title, does, means, done } = ACTS[kind];
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const call = { params: { mrn }, reason: textsOf(event.currentTarget, 'reason').reason };
    const asked = kind === 'restrict' ? ask('restrictions.put', call) : ask('restrictions.remove', call);
    if (!(await act.run(asked, () => done))) return;
    setOpen(false);
    onDone(kind === 'restrict');
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        {button}
      </button>
      {isOpen ? (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <p>{means}</p>
          <form onSubmit={(event) => void onSubmit(event)}>
            <ReasonField />
            <Outcome of={act} />
            <DialogButtons does={does} isBusy={act.isBusy} onClose={() => setOpen(false)} />
          </form>
        </Dialog>
      ) : (
        <>
          <Outcome of={act} />
          <Recorded of={act} />
        </>
      )}
    </>
  );
}

/**
 * Whether the hospital has restricted a patient, and the way in and out of it. Who has just restricted one is not asked
 * why they look.
 */
export function Restriction({ mrn }: { readonly mrn: string }) {
  const mayChange = useMay('links.change');
  const found = useAsk('restrictions.get', { params: { mrn } });
  const [changed, setChanged] = useState<boolean | null>(null);
  return (
    <Shown of={found}>
      {({ isRestricted }) => (
        <div className="row">
          {(changed ?? isRestricted) ? (
            <span className="warn">
              <LockIcon size={16} aria-hidden /> Restricted: whoever looks says why.
            </span>
          ) : null}
          {mayChange ? (
            <Change mrn={mrn} kind={(changed ?? isRestricted) ? 'lift' : 'restrict'} onDone={setChanged} />
          ) : null}
        </div>
      )}
    </Shown>
  );
}
