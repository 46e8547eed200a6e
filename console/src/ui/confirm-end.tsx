import { useState, type ReactNode } from 'react';
import type { Act } from './act.tsx';
import { Confirm } from './confirm.tsx';

/**
 * Ends something that the screen looks at again and again: what came of it stays until the reader closes it, although
 * the screen knows by then that there is nothing to end any more.
 */
export function ConfirmEnd({
  isOffered,
  title,
  run,
  onDone,
  children,
}: {
  readonly isOffered: boolean;
  readonly title: string;
  readonly run: (act: Act) => Promise<boolean>;
  readonly onDone: () => void;
  readonly children: ReactNode;
}) {
  const [isEnding, setEnding] = useState(false);
  const end = async (act: Act): Promise<boolean> => {
    setEnding(true);
    const isDone = await run(act);
    if (!isDone) setEnding(false);
    return isDone;
  };
  const close = (): void => {
    setEnding(false);
    onDone();
  };
  return isOffered || isEnding ? (
    <Confirm label="End …" title={title} act={{ words: 'End it', run: end }} onDone={close}>
      {children}
    </Confirm>
  ) : null;
}
