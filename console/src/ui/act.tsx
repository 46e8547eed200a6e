import { useCallback, useState } from 'react';
import type { Reply } from '../api/ask.ts';

export interface Said {
  readonly isGood: boolean;
  readonly words: string;
}
export interface Act {
  readonly isBusy: boolean;
  readonly said: Said | null;
  /** Does something, and says how it went; answers whether it was done. */
  run<T>(work: Promise<Reply<T>>, words: (value: T) => string): Promise<boolean>;
}

/** Something that a person does, and what came of it. */
export function useAct(): Act {
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<Said | null>(null);
  const run = useCallback(async function run<T>(work: Promise<Reply<T>>, words: (value: T) => string) {
    setBusy(true);
    setSaid(null);
    const reply = await work;
    setBusy(false);
    const isGood = reply.kind === 'done';
    setSaid({ isGood, words: isGood ? words(reply.value) : reply.refusal.message });
    return isGood;
  }, []);
  return { isBusy, said, run };
}

/** Told to who listens as well as to who looks. */
export function Outcome({ of: { said, isBusy } }: { readonly of: Act }) {
  return (
    <p role="status" className={said?.isGood === false ? 'bad' : 'good'}>
      {isBusy ? 'One moment …' : (said?.words ?? '')}
    </p>
  );
}
