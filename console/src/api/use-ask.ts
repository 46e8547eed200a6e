import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallId } from '../../../src/admin/contract/index.ts';
import { ask, onReasonSaid, type AskOf, type Refusal, type ValueOf } from './ask.ts';

/** `refusal` beside a value: what is shown is old, and why. */
export interface Asked<T> {
  readonly value: T | null;
  readonly at: number | null;
  readonly refusal: Refusal | null;
  readonly isLoading: boolean;
  again(): void;
}

/** What a route answers, asked again when the question changes, every so often, or by `again`. */
export function useAsk<Id extends CallId>(
  id: Id,
  call?: AskOf<Id>,
  { everyMs, isWanted = true }: { readonly everyMs?: number; readonly isWanted?: boolean } = {},
): Asked<ValueOf<Id>> {
  const [state, setState] = useState<Omit<Asked<ValueOf<Id>>, 'again'>>({
    value: null,
    at: null,
    refusal: null,
    isLoading: isWanted,
  });
  const [turn, setTurn] = useState(0);
  const question = JSON.stringify([id, call]);
  const shown = useRef(question);
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    const isOther = shown.current !== question;
    shown.current = question;
    setState((before) => ({ ...before, ...(isOther ? { value: null } : {}), isLoading: true }));
    const look = async (): Promise<void> => {
      const reply = await ask(id, call);
      if (isOver) return;
      if (reply.kind === 'done') setState({ value: reply.value, at: Date.now(), refusal: null, isLoading: false });
      else setState((before) => ({ ...before, refusal: reply.refusal, isLoading: false }));
    };
    void look();
    const timer =
      everyMs === undefined ? undefined : setInterval(() => void (document.hidden ? undefined : look()), everyMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
    // The question stands for id and call.
  }, [question, turn, everyMs, isWanted]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  const lacksReason = state.refusal?.code === 'admin.reason-needed';
  useEffect(() => (lacksReason ? onReasonSaid(again) : undefined), [lacksReason, again]);
  return { ...state, again };
}
