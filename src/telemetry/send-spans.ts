import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../kernel/index.ts';
import type { FinishedSpan } from './finished-span.ts';
import type { Posted } from './post.ts';

export interface SpanLimits {
  /** How many wait at most; of more, the oldest are dropped. */
  readonly queueMax: number;
  readonly batchMax: number;
  /** How long a span waits for others to go with. */
  readonly gatherMs: number;
  readonly firstRetryMs: number;
  readonly retryMaxMs: number;
  /** How often a batch is sent before it is dropped. */
  readonly triesMax: number;
}

/** A span takes half a kilobyte or so: all that wait are about a megabyte. */
export const SPAN_LIMITS: SpanLimits = {
  queueMax: 2_048,
  batchMax: 256,
  gatherMs: 2_000,
  firstRetryMs: 1_000,
  retryMaxMs: 30_000,
  triesMax: 5,
};

/**
 * Spans are gathered, and sent one batch after the other. Adding one does nothing but that: whoever adds it is neither
 * held up nor told what comes of it.
 */
export function makeSendSpans(deps: {
  readonly send: (spans: readonly FinishedSpan[], signal: AbortSignal) => Promise<Posted>;
  /** Told of every answer. */
  readonly onPosted: (posted: Posted) => void;
  readonly onDropped: (count: number) => void;
  readonly chance: Chance;
  readonly limits: SpanLimits;
}) {
  const { limits } = deps;
  const queue: FinishedSpan[] = [];
  /** In a row, whatever was sent. */
  let failures = 0;
  let sending: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Ends the waiting between two tries. */
  const ending = new AbortController();
  /** Ends what is under way. */
  const late = new AbortController();

  function waitOf(afterMs: number | null): number {
    const spread = 0.5 + (deps.chance(1)[0] ?? 0) / 512;
    const own = Math.min(limits.retryMaxMs, limits.firstRetryMs * 2 ** Math.min(20, failures - 1)) * spread;
    return Math.max(afterMs ?? 0, own);
  }

  async function sendBatch(batch: readonly FinishedSpan[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const posted = await deps.send(batch, late.signal);
      deps.onPosted(posted);
      failures = posted.kind === 'taken' ? 0 : failures + 1;
      if (posted.kind === 'taken') {
        if (posted.rejected > 0) deps.onDropped(Math.min(posted.rejected, batch.length));
        return;
      }
      // At the end nothing is waited for.
      if (posted.kind === 'refused' || tries >= limits.triesMax || ending.signal.aborted) {
        deps.onDropped(batch.length);
        return;
      }
      await pause(waitOf(posted.afterMs), undefined, { ref: false, signal: ending.signal }).catch(() => undefined);
    }
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && !late.signal.aborted) await sendBatch(queue.splice(0, limits.batchMax));
  }

  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  }

  return {
    add(span: FinishedSpan): void {
      if (ending.signal.aborted) {
        deps.onDropped(1);
        return;
      }
      queue.push(span);
      if (queue.length > limits.queueMax) {
        queue.shift();
        deps.onDropped(1);
      }
      if (sending !== null) return;
      if (queue.length >= limits.batchMax) void begin();
      else timer ??= setTimeout(() => void begin(), limits.gatherMs).unref();
    },
    /** Sends what waits, without trying twice; what is not sent after `withinMs` is dropped. */
    async stop(withinMs: number): Promise<void> {
      ending.abort();
      const deadline = setTimeout(() => late.abort(), withinMs);
      // One that was being sent may leave some that came after its last batch was cut.
      await begin();
      await begin();
      clearTimeout(deadline);
      clearTimeout(timer);
      if (queue.length > 0) deps.onDropped(queue.splice(0).length);
    },
  };
}
