import { fail, fault, ok, type Fault, type FaultCode, type Result } from '../kernel/index.ts';
import type { Given } from './commands.ts';

export const QUEUE_LIMITS = {
  /**
   * One transaction takes at most this much, so that a commit stays short (reliability: 128 rows or 8 MB); where what
   * is asked `now` fills it, one of each other line goes along.
   */
  batchCount: 128,
  batchBytes: 8 * 1024 * 1024,
  /** Above this the queue refuses at once: it is the memory that waiting may cost. */
  queueCount: 4_000,
  queueBytes: 64 * 1024 * 1024,
  /** A command that could not begin within this time is refused; the sender may come again. */
  waitMs: 5_000,
} as const;

/**
 * What nobody outside waits for goes along with what is asked `now`, and alone where somebody asked `now` a moment ago
 * and may do so again: as much as takes about this long, as far as the last batches tell, so that the commit stays
 * short on a slow machine and a fast one is not held back.
 */
const BESIDE = { ms: 6, least: 4, most: 32 } as const;
const MOMENT_MS = 100;
/**
 * Nobody outside waits for a batch of nothing but commands that give way or are `soon`. It rests after the one before
 * it, for longer where that one was long, so that more of them share a commit; never while there are enough.
 */
const GATHER = { times: 2, mostMs: 12, enough: 16 } as const;
/** How much of what is known of the time that a command takes is what the last batch told. */
const NEWEST_SHARE = 0.2;

export type QueueLimits = { readonly [K in keyof typeof QUEUE_LIMITS]: number };

export interface Ask {
  readonly name: string;
  readonly args: unknown;
  readonly give?: Given;
}

/** What became of one command of a batch. */
export type Outcome =
  | { readonly done: true; readonly out: unknown }
  | { readonly done: false; readonly fault: Fault }
  | { readonly done: false; readonly bug: Error };

/** Carries out one batch in one transaction. Must answer one outcome for each, in order; never rejects. */
export type RunBatch = (asks: readonly Ask[]) => Promise<readonly Outcome[]>;

interface Waiting extends Ask {
  readonly bytes: number;
  readonly since: number;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * Somebody outside waits for what is asked `now`. `soon` goes along, and alone it may rest for some milliseconds until
 * there are more. `behind` gives way: it may wait for as long as others come, and is never refused for that.
 */
export type Urgency = 'now' | 'soon' | 'behind';

export interface WriteQueue {
  push(name: string, args: unknown, urgency?: Urgency, give?: Given): Promise<Result<unknown>>;
  size(): { count: number; bytes: number };
  /** Refuses what comes from now on and resolves when all that was taken has been settled. */
  close(): Promise<void>;
  /** An executor has become free for some other reason than the end of its batch. */
  wake(): void;
}

/** What the arguments weigh: their bytes and texts, one level deep, which is where the large ones are. */
export function weigh(args: unknown): number {
  if (typeof args !== 'object' || args === null) return 64;
  let sum = 128;
  for (const value of Object.values(args as Record<string, unknown>)) {
    if (value instanceof Uint8Array) sum += value.byteLength;
    else if (typeof value === 'string') sum += value.length;
  }
  return sum;
}

/**
 * Natural group commit: a batch is whatever arrived while the last commit ran; no timer ever delays what is asked `now`.
 * `take` gives a free executor or null; it is asked again after each batch and on `wake`.
 */
export function makeWriteQueue(deps: {
  readonly take: () => RunBatch | null;
  readonly nowMs: () => number;
  /** The fault of a command that waited in vain. */
  readonly whyWaiting: () => FaultCode;
  readonly limits?: QueueLimits;
  /** How many batches run together, as far as there are executors. */
  readonly concurrency?: number;
}): WriteQueue {
  const { limits = QUEUE_LIMITS, concurrency = Infinity } = deps;
  const lines: Readonly<Record<Urgency, Waiting[]>> = { now: [], soon: [], behind: [] };
  const count = (): number => lines.now.length + lines.soon.length + lines.behind.length;
  let askedNowAt = -Infinity;
  let restUntil = 0;
  let resting: NodeJS.Timeout | undefined;
  let bytes = 0;
  let running = 0;
  /** Of a command on average; null before the first. */
  let commandMs: number | null = null;
  let isClosed = false;
  let isScheduled = false;
  let expiry: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;

  const remove = (line: Waiting[], count: number): Waiting[] => {
    const out = line.splice(0, count);
    for (const one of out) bytes -= one.bytes;
    return out;
  };

  /** From the head of a line, as many as the limits still allow, and one in any case. */
  function takeFrom(line: Waiting[], countMax: number, bytesMax: number): Waiting[] {
    let count = 0;
    let weight = 0;
    while (count < line.length && count < countMax) {
      weight += line[count]?.bytes ?? 0;
      if (weight > bytesMax && count > 0) break;
      count += 1;
    }
    return remove(line, count);
  }

  function besideMax(): number {
    if (commandMs === null) return BESIDE.least;
    return Math.min(BESIDE.most, Math.max(BESIDE.least, Math.floor(BESIDE.ms / commandMs)));
  }

  const isHurried = (): boolean => lines.now.length > 0 || deps.nowMs() - askedNowAt < MOMENT_MS;

  function learn(tookMs: number, count: number): void {
    const newest = tookMs / count;
    commandMs = commandMs === null ? newest : commandMs + (newest - commandMs) * NEWEST_SHARE;
  }

  /**
   * While somebody outside waits, or did a moment ago, only so many others go along that the commit stays short; and
   * always some of each line, so that they get done.
   */
  function nextBatch(): Waiting[] {
    const { now, soon, behind } = lines;
    const others = soon.length + behind.length;
    const beside = Math.min(others, limits.batchCount - 1, isHurried() ? besideMax() : Infinity);
    const batch = takeFrom(now, limits.batchCount - beside, limits.batchBytes);
    const bytesLeft = (): number => batch.reduce((left, one) => left - one.bytes, limits.batchBytes);
    const sooner = takeFrom(soon, beside - Math.min(behind.length, beside >> 1), bytesLeft());
    batch.push(...sooner);
    batch.push(...takeFrom(behind, beside - sooner.length, bytesLeft()));
    return batch;
  }

  /** How many at the head of a line have waited too long: arrivals are in order. */
  function lateIn(line: readonly Waiting[], now: number): number {
    let count = 0;
    while (count < line.length && now - (line[count]?.since ?? now) >= limits.waitMs) count += 1;
    return count;
  }

  function expire(): void {
    const now = deps.nowMs();
    for (const line of [lines.now, lines.soon]) {
      const refusal: Outcome = { done: false, fault: fault(deps.whyWaiting()) };
      for (const one of remove(line, lateIn(line, now))) one.settle(refusal);
    }
    clearTimeout(expiry);
    const first = Math.min(lines.now[0]?.since ?? Infinity, lines.soon[0]?.since ?? Infinity);
    expiry = first === Infinity ? undefined : setTimeout(expire, Math.max(1, first + limits.waitMs - now)).unref();
    finishIfDrained();
  }

  function finishIfDrained(): void {
    if (isClosed && running === 0 && count() === 0) {
      clearTimeout(expiry);
      drained?.();
    }
  }

  /** How long to wait for more before the next batch. */
  function restMs(): number {
    if (lines.now.length > 0 || isClosed) return 0;
    const enough = isHurried() ? Math.min(GATHER.enough, besideMax()) : GATHER.enough;
    return lines.soon.length + lines.behind.length >= enough ? 0 : restUntil - deps.nowMs();
  }

  function rest(ms: number): void {
    resting ??= setTimeout(() => {
      resting = undefined;
      restUntil = 0;
      schedule();
    }, ms);
  }

  function flush(): void {
    isScheduled = false;
    const ms = restMs();
    if (ms > 0) {
      rest(ms);
      return;
    }
    while (count() > 0 && running < concurrency) {
      const runBatch = deps.take();
      if (runBatch === null) break;
      const batch = nextBatch();
      running += 1;
      const failed = (thrown: unknown): readonly Outcome[] =>
        batch.map(() => ({ done: false, bug: thrown instanceof Error ? thrown : new Error('the batch failed') }));
      const from = deps.nowMs();
      void runBatch(batch)
        .catch(failed)
        .then((outcomes) => {
          running -= 1;
          const now = deps.nowMs();
          learn(now - from, batch.length);
          restUntil = now + Math.min(GATHER.mostMs, GATHER.times * (now - from));
          batch.forEach((one, i) =>
            one.settle(outcomes[i] ?? { done: false, bug: new Error(`${one.name} got no outcome`) }),
          );
          schedule();
          finishIfDrained();
        });
    }
    expire();
  }

  // After the I/O of this turn: callers that were just answered, and requests read together, ask together.
  function schedule(): void {
    if (isScheduled || count() === 0) return;
    isScheduled = true;
    setImmediate(flush);
  }

  return {
    push(name, args, urgency = 'now', give = []) {
      if (isClosed) return Promise.resolve(fail(fault('store.closed')));
      const weight = weigh(args);
      if (lines[urgency].length >= limits.queueCount || bytes + weight > limits.queueBytes)
        return Promise.resolve(fail(fault('store.queue-full')));
      return new Promise((resolve, reject) => {
        bytes += weight;
        const since = deps.nowMs();
        if (urgency === 'now') askedNowAt = since;
        lines[urgency].push({
          name,
          args,
          give,
          bytes: weight,
          since,
          settle: (outcome) => {
            if (outcome.done) resolve(ok(outcome.out));
            else if ('fault' in outcome) resolve(fail(outcome.fault));
            else reject(outcome.bug);
          },
        });
        schedule();
      });
    },
    size: () => ({ count: count(), bytes }),
    close() {
      isClosed = true;
      schedule();
      // Nobody waits for these, and whatever they are about is still there at the next start.
      for (const one of remove(lines.behind, lines.behind.length))
        one.settle({ done: false, fault: fault('store.closed') });
      return new Promise((resolve) => {
        drained = resolve;
        finishIfDrained();
      });
    },
    wake: schedule,
  };
}
