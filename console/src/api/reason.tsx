import { useEffect, useState, type SyntheticEvent } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { textsOf } from '../ui/field.tsx';
import { ReasonField } from '../ui/reason-field.tsx';
import { onReasonNeeded } from './ask.ts';

/** Asks why somebody looks at a patient whom the hospital has restricted, and repeats what was asked with the answer. */
export function ReasonDialog() {
  const [waiting, setWaiting] = useState<{ readonly end: (reason: string | null) => void } | null>(null);
  useEffect(() => {
    onReasonNeeded(() => new Promise<string | null>((end) => setWaiting({ end })));
  }, []);
  if (waiting === null) return null;
  const end = (reason: string | null): void => {
    setWaiting(null);
    waiting.end(reason);
  };
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    end(textsOf(event.currentTarget, 'reason').reason);
  };
  return (
    <Dialog title="Why do you look at this patient?" onClose={() => end(null)}>
      <p>The hospital has restricted this patient. What you say is kept in the audit with your name.</p>
      <form onSubmit={onSubmit}>
        <ReasonField />
        <div className="row">
          <button type="submit">Go on</button>
          <button type="button" className="plain" onClick={() => end(null)}>
            Do not look
          </button>
        </div>
      </form>
    </Dialog>
  );
}
