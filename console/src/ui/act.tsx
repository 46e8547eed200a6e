import { useCallback, useState } from 'react';
import type { Reply } from '../api/ask.ts';
import { AuditLink } from './audit-link.tsx';

export interface Said {
  readonly isGood: boolean;
  readonly words: string;
  /** By which the audit finds it; null where it was refused. */
  readonly requestId: string | null;
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
    setSaid(
      isGood
        ? { isGood, words: words(reply.value), requestId: reply.requestId }
        : { isGood, words: reply.refusal.message, requestId: null },
    );
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

/** Beside what came of an act: its record, for who may read the audit. */
export function Recorded({ of: { said } }: { readonly of: Act }) {
  const requestId = said?.requestId ?? null;
  return requestId === null ? null : (
    <p>
      <AuditLink of={{ request: requestId }} />
    </p>
  );
}
