import { useState } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type Target = ValueOf<'targets.list'>['targets'][number];

const countOf = (n: number, one: string, many: string): string => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** What it would mean, before it is done. */
function Meaning({ of: { waiting, inFlight }, isPaused }: { readonly of: Target; readonly isPaused: boolean }) {
  const jobs = countOf(waiting.jobs, 'delivery', 'deliveries');
  const lanes = countOf(waiting.lanes, 'patient', 'patients');
  return isPaused ? (
    <ul>
      <li>
        {jobs} of {lanes} {waiting.jobs === 1 ? 'goes' : 'go'} on now, each patient’s in the order in which they came.
      </li>
      <li>The limit of requests under way stays as it was found.</li>
    </ul>
  ) : (
    <ul>
      <li>Nothing more is sent to the EHR until somebody resumes, at every replica and also after a restart.</li>
      <li>
        {inFlight === 0
          ? 'Nothing is under way now.'
          : `${countOf(inFlight, 'request', 'requests')} under way will end as they would have.`}
      </li>
      <li>Deliveries are still received and judged. {jobs} wait now, and more will.</li>
      <li>Apps read as before.</li>
    </ul>
  );
}

/** Stops and goes, after saying what that means. */
export function Switch({ of, onDone }: { readonly of: Target; readonly onDone: () => void }) {
  const act = useAct();
  const [isOpen, setOpen] = useState(false);
  const isPaused = of.state === 'paused';
  const name = isPaused ? 'Resume sending' : 'Pause sending';
  const onConfirm = async (): Promise<void> => {
    setOpen(false);
    const asked = ask(isPaused ? 'targets.resume' : 'targets.pause', { params: { id: of.id } });
    if (await act.run(asked, ({ state }) => `It is ${state}.`)) onDone();
  };
  return (
    <>
      <button type="button" className={isPaused ? '' : 'plain'} disabled={act.isBusy} onClick={() => setOpen(true)}>
        {name} …
      </button>
      <Outcome of={act} />
      <Recorded of={act} />
      {isOpen ? (
        <Dialog
          title={isPaused ? 'Resume sending to the EHR?' : 'Pause sending to the EHR?'}
          onClose={() => setOpen(false)}
        >
          <Meaning of={of} isPaused={isPaused} />
          <p className="row">
            <button type="button" onClick={() => void onConfirm()}>
              {name}
            </button>
            <button type="button" className="plain" onClick={() => setOpen(false)}>
              Leave it as it is
            </button>
          </p>
        </Dialog>
      ) : null}
    </>
  );
}
