/** What is judged, and settled in the order in which it was given. Whoever uses it waits for each call before the next. */
export interface InOrder<One> {
  /** Resolves when at most so many are judged ahead, and there is room among those that are being settled. */
  judge(one: One, aheadMax: number): Promise<void>;
  /** Resolves when nothing is judged any more, though it may not be settled yet. */
  judged(): Promise<void>;
  /** Resolves when nothing is judged or settled any more. */
  drain(): Promise<void>;
}

/**
 * Several are judged at a time, and their verdicts share commits: whoever judges is not idle while what was judged is
 * stored, and does not run away from it.
 */
export function judgeInOrder<One, Verdict>(deps: {
  /** Rejects over a bug alone, as settling does: it stops nothing behind it. */
  readonly judge: (one: One) => Promise<Verdict>;
  readonly settle: (one: One, verdict: Verdict) => Promise<void>;
  readonly onFailed: (thrown: unknown) => void;
  readonly settlingMax: number;
}): InOrder<One> {
  const ahead: { readonly one: One; readonly judged: Promise<{ readonly verdict: Verdict } | null> }[] = [];
  let settling = 0;
  let onSettled: (() => void) | null = null;

  function begin(one: One, verdict: Verdict): void {
    settling += 1;
    void deps
      .settle(one, verdict)
      .catch(deps.onFailed)
      .finally(() => {
        settling -= 1;
        onSettled?.();
      });
  }

  /** Null where it failed. Whoever waits for an earlier one does not listen to this one yet. */
  const judgeSafely = (one: One): Promise<{ readonly verdict: Verdict } | null> =>
    deps.judge(one).then(
      (verdict) => ({ verdict }),
      (thrown: unknown) => {
        deps.onFailed(thrown);
        return null;
      },
    );

  const settled = (): Promise<void> =>
    new Promise((resolve) => {
      onSettled = () => {
        onSettled = null;
        resolve();
      };
    });

  async function settleUntil(left: number): Promise<void> {
    for (let next = ahead[0]; next !== undefined && ahead.length > left; next = ahead[0]) {
      const judged = await next.judged;
      ahead.shift();
      if (judged === null) continue;
      while (settling >= deps.settlingMax) await settled();
      begin(next.one, judged.verdict);
    }
  }

  return {
    async judge(one, aheadMax) {
      ahead.push({ one, judged: judgeSafely(one) });
      await settleUntil(aheadMax - 1);
    },
    judged: () => settleUntil(0),
    async drain() {
      await settleUntil(0);
      while (settling > 0) await settled();
    },
  };
}
