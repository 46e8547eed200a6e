import { fail, fault, ok, type Fault, type FaultCode, type Result } from '../kernel/index.ts';
import { makeBatchPace } from './batch-pace.ts';
import type { BlockPlace } from './sqlite/journal/format.ts';
import { weigh } from './weigh.ts';

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

export type QueueLimits = { readonly [K in keyof typeof QUEUE_LIMITS]: number };

export interface Ask {
  readonly name: string;
  readonly args: unknown;
}

/** What became of one command of a batch. */
export type Outcome =
  | { readonly done: true; readonly out: unknown }
  | { readonly done: false; readonly fault: Fault }
  | { readonly done: false; readonly bug: Error };

/**
 * Carries out one batch in one transaction, what was journaled first. Must answer one outcome for each command, in order;
 * never rejects.
 */
export type RunBatch = (asks: readonly Ask[], journaled: readonly BlockPlace[]) => Promise<readonly Outcome[]>;

/** What was acknowledged before it is carried out, which is carried out in batches as commands are. */
export interface JournaledWork {
  /** How many entries can be taken. */
  count(): number;
  /** Whole blocks from the first on, one at least; none that begins behind `through`. */
  take(most: { readonly count: number; readonly bytes: number; readonly through: number }): readonly BlockPlace[];
  /** The place up to which all is carried out. */
  carriedPlace(): number;
  /** The place up to which somebody waits for it to be carried out; 0 for nobody. */
  wantedPlace(): number;
  /** Whether acknowledgements are waited for just now. */
  isAppending(): boolean;
}

interface Waiting extends Ask {
  readonly bytes: number;
  readonly since: number;
  /** The place of what was journaled and must be carried out before it. */
  readonly afterPlace: number;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * Somebody outside waits for what is asked `now`. `soon` goes along, and alone it may rest for some milliseconds until
 * there are more. `behind` gives way: it may wait for as long as others come, and is never refused for that.
 */
export type Urgency = 'now' | 'soon' | 'behind';

export interface WriteQueue {
  /** `afterPlace`: of what was journaled and must be carried out before it. */
  push(name: string, args: unknown, urgency?: Urgency, afterPlace?: number): Promise<Result<unknown>>;
  size(): { count: number; bytes: number };
  /** Refuses what comes from now on and resolves when all that was taken has been settled. */
  close(): Promise<void>;
  /** An executor has become free for some other reason than the end of its batch. */
  wake(): void;
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
  readonly journaled?: JournaledWork;
}): WriteQueue {
  const { limits = QUEUE_LIMITS, concurrency = Infinity, journaled } = deps;
  const lines: Readonly<Record<Urgency, Waiting[]>> = { now: [], soon: [], behind: [] };
  const asked = (): number => lines.now.length + lines.soon.length + lines.behind.length;
  const count = (): number => asked() + (journaled?.count() ?? 0);
  const pace = makeBatchPace(deps.nowMs);
  let resting: { readonly until: number; readonly timer: NodeJS.Timeout } | undefined;
  let bytes = 0;
  let running = 0;
  let isClosed = false;
  let isScheduled = false;
  let expiry: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;

  const remove = (line: Waiting[], count: number): Waiting[] => {
    const out = line.splice(0, count);
    for (const one of out) bytes -= one.bytes;
    return out;
  };

  /** From the head of a line, as many as the limits still allow, and one in any case that need not wait. */
  function takeFrom(line: Waiting[], countMax: number, bytesMax: number, carriedTo: number): Waiting[] {
    let count = 0;
    let weight = 0;
    while (count < line.length && count < countMax) {
      const one = line[count] as Waiting;
      weight += one.bytes;
      if (one.afterPlace > carriedTo || (weight > bytesMax && count > 0)) break;
      count += 1;
    }
    return remove(line, count);
  }

  /** Whether what was journaled gives way to those who wait for their acknowledgement. */
  const isGivingWay = (): boolean => journaled?.isAppending() === true && !isClosed && pace.giveWayMs() > 0;

  /** What must be carried out of the journal for those who wait, and for the commands that the next batch may take. */
  function placeWanted(): number {
    let place = journaled?.wantedPlace() ?? 0;
    for (const line of Object.values(lines))
      for (const one of line.slice(0, limits.batchCount)) place = Math.max(place, one.afterPlace);
    return place;
  }

  /**
   * While somebody outside waits, or did a moment ago, only so many others go along that the commit stays short; and
   * always some of each line, so that they get done.
   */
  function nextBatch(): {
    readonly batch: readonly Waiting[];
    readonly blocks: readonly BlockPlace[];
    /** Of what was journaled it has only what its commands need. */
    readonly isShort: boolean;
  } {
    const { now, soon, behind } = lines;
    const through = isGivingWay() ? placeWanted() : Infinity;
    const count = now.length > 0 ? pace.besideMax() : limits.batchCount;
    const blocks = journaled?.take({ count, bytes: limits.batchBytes, through }) ?? [];
    const last = blocks.at(-1);
    const carriedTo = last === undefined ? (journaled?.carriedPlace() ?? 0) : last.first + last.count - 1;
    const isHurried = now.length > 0 || pace.wasAskedNow();
    const others = soon.length + behind.length;
    const beside = Math.min(others, limits.batchCount - 1, isHurried ? pace.besideMax() : Infinity);
    const batch = takeFrom(now, limits.batchCount - beside, limits.batchBytes, carriedTo);
    const bytesLeft = (): number => batch.reduce((left, one) => left - one.bytes, limits.batchBytes);
    const sooner = takeFrom(soon, beside - Math.min(behind.length, beside >> 1), bytesLeft(), carriedTo);
    batch.push(...sooner);
    batch.push(...takeFrom(behind, beside - sooner.length, bytesLeft(), carriedTo));
    return { batch, blocks, isShort: through !== Infinity };
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
    if (lines.now.length > 0 || isClosed || (journaled?.wantedPlace() ?? 0) > 0) return 0;
    return asked() === 0 && isGivingWay() ? pace.giveWayMs() : pace.gatherMs(count());
  }

  function rest(ms: number): void {
    const until = deps.nowMs() + ms;
    if (resting !== undefined && resting.until <= until) return;
    clearTimeout(resting?.timer);
    const wake = (): void => {
      resting = undefined;
      pace.rested();
      schedule();
    };
    resting = { until, timer: setTimeout(wake, ms) };
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
      const { batch, blocks, isShort } = nextBatch();
      if (batch.length === 0 && blocks.length === 0) break;
      running += 1;
      const failed = (thrown: unknown): readonly Outcome[] =>
        batch.map(() => ({ done: false, bug: thrown instanceof Error ? thrown : new Error('the batch failed') }));
      const from = deps.nowMs();
      void runBatch(batch, blocks)
        .catch(failed)
        .then((outcomes) => {
          running -= 1;
          pace.ended({
            tookMs: deps.nowMs() - from,
            count: blocks.reduce((sum, block) => sum + block.count, batch.length),
            journaledLeft: isShort ? null : (journaled?.count() ?? 0),
          });
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
    push(name, args, urgency = 'now', afterPlace = 0) {
      if (isClosed) return Promise.resolve(fail(fault('store.closed')));
      const weight = weigh(args);
      if (lines[urgency].length >= limits.queueCount || bytes + weight > limits.queueBytes)
        return Promise.resolve(fail(fault('store.queue-full')));
      return new Promise((resolve, reject) => {
        bytes += weight;
        const since = deps.nowMs();
        if (urgency === 'now') pace.askedNow();
        lines[urgency].push({
          name,
          args,
          bytes: weight,
          since,
          afterPlace,
          settle: (outcome) => {
            if (outcome.done) resolve(ok(outcome.out));
            else if ('fault' in outcome) resolve(fail(outcome.fault));
            else reject(outcome.bug);
          },
        });
        schedule();
      });
    },
    size: () => ({ count: asked(), bytes }),
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
