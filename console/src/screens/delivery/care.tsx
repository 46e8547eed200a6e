import { useState, type SyntheticEvent } from 'react';
import { ask } from '../../api/ask.ts';
import { useMay, useSession } from '../../api/session.tsx';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import type { OneDelivery } from './delivery.tsx';

const NOTE_MAX = 2_000;

function Give({
  onGive,
  onClose,
}: {
  readonly onGive: (operator: string) => Promise<boolean>;
  readonly onClose: () => void;
}) {
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void onGive(textsOf(event.currentTarget, 'operator').operator).then((isGiven) => (isGiven ? onClose() : undefined));
  };
  return (
    <Dialog title="Give it to somebody" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Sign-in name of the operator" name="operator" required maxLength={100} autoFocus />
        <div className="row">
          <button type="submit">Give</button>
          <button type="button" className="plain" onClick={onClose}>
            Leave it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Who looks after it: taken, given, released. */
function Assignment({ of, onDone }: { readonly of: OneDelivery; readonly onDone: () => void }) {
  const { name } = useSession();
  const mayAct = useMay('deliveries.act');
  const act = useAct();
  const [isGiving, setGiving] = useState(false);
  const assign = async (operator: string | null): Promise<boolean> => {
    const asked = ask('deliveries.assign', { params: { id: of.id }, body: { operator } });
    const isDone = await act.run(asked, ({ assignedTo }) =>
      assignedTo === null ? 'Nobody looks after it now.' : `${assignedTo.name ?? assignedTo.id} looks after it now.`,
    );
    if (isDone) onDone();
    return isDone;
  };
  const { assignedTo } = of;
  return (
    <>
      <p>
        {assignedTo === null ? (
          'Nobody looks after it.'
        ) : (
          <>
            <strong>{assignedTo.name ?? 'Somebody whose account is gone'}</strong> looks after it.
          </>
        )}
      </p>
      {mayAct ? (
        <div className="row">
          {assignedTo?.name === name ? null : (
            <button type="button" className="plain" disabled={act.isBusy} onClick={() => void assign(name)}>
              Take it
            </button>
          )}
          <button type="button" className="plain" disabled={act.isBusy} onClick={() => setGiving(true)}>
            Give it to …
          </button>
          {assignedTo === null ? null : (
            <button type="button" className="plain" disabled={act.isBusy} onClick={() => void assign(null)}>
              Release it
            </button>
          )}
        </div>
      ) : null}
      <Outcome of={act} />
      {isGiving ? <Give onGive={assign} onClose={() => setGiving(false)} /> : null}
    </>
  );
}

function Notes({ of, onDone }: { readonly of: OneDelivery; readonly onDone: () => void }) {
  const mayAct = useMay('deliveries.act');
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const { text } = textsOf(form, 'text');
    if (!(await act.run(ask('deliveries.note', { params: { id: of.id }, body: { text } }), () => 'Written down.')))
      return;
    form.reset();
    onDone();
  };
  return (
    <>
      {of.notes.length === 0 ? <p className="quiet">No notes.</p> : null}
      <ul className="notes">
        {of.notes.map(({ at, actor, text }, n) => (
          <li key={n}>
            <div className="said">{text}</div>
            <div className="small quiet">
              {actor}, <Time at={at} />
            </div>
          </li>
        ))}
      </ul>
      {mayAct ? (
        <form onSubmit={(event) => void onSubmit(event)}>
          <label htmlFor="note">Note for others (sealed, and gone when the patient is erased)</label>
          <textarea id="note" name="text" rows={2} required maxLength={NOTE_MAX} />
          <div className="row">
            <button type="submit" className="plain" disabled={act.isBusy}>
              Write it down
            </button>
          </div>
          <Outcome of={act} />
        </form>
      ) : null}
    </>
  );
}

/** Who looks after a delivery, and what people wrote down about it. */
export function Care({ of, onDone }: { readonly of: OneDelivery; readonly onDone: () => void }) {
  return (
    <section className="card care" aria-labelledby="care">
      <h2 id="care">Who looks after it</h2>
      <Assignment of={of} onDone={onDone} />
      <h3>Notes</h3>
      <Notes of={of} onDone={onDone} />
    </section>
  );
}
