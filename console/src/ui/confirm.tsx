import { useState, type ReactNode } from 'react';
import { Outcome, Recorded, useAct, type Act } from './act.tsx';
import { Dialog } from './dialog.tsx';

/** A button that says first what it will do, does it, and shows what came of it and where it is recorded. */
export function Confirm({
  label,
  title,
  act,
  tone = 'danger',
  onDone,
  children,
}: {
  readonly label: string;
  readonly title: string;
  /** The word on the button that does it. */
  readonly act: { readonly words: string; readonly run: (act: Act) => Promise<boolean> };
  readonly tone?: 'danger' | 'usual';
  readonly onDone?: () => void;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  const doing = useAct();
  const close = (): void => {
    setOpen(false);
    if (isDone) onDone?.();
    setDone(false);
  };
  const run = async (): Promise<void> => setDone(await act.run(doing));
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen ? (
        <Dialog title={title} onClose={close}>
          {isDone ? null : children}
          <Outcome of={doing} />
          <Recorded of={doing} />
          <div className="row">
            {isDone ? (
              <button type="button" onClick={close}>
                Close
              </button>
            ) : (
              <>
                <button
                  type="button"
                  className={tone === 'danger' ? 'danger' : undefined}
                  disabled={doing.isBusy}
                  onClick={() => void run()}
                >
                  {act.words}
                </button>
                <button type="button" className="plain" onClick={close}>
                  Leave it
                </button>
              </>
            )}
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
