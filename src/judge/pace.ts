import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kernel/index.ts';

/** Above this there is no time to spare: whoever waits for an acknowledgement would wait for a judgement. */
const IS_FULL = 0.75;
/** Judging then rests for so many times as long as it worked. */
const REST = 6;
const REST_MS_MAX = 50;
/** What a process used is counted in ticks of the system: over less than this it says nothing. */
const USE_MS = 50;
/** What is judged in threads takes next to nothing of the event loop: so many go to them in one turn of it. */
const ASKED_IN_A_TURN = 8;

/** How long judging rests after it worked so long; 0: for one turn of the loop. `fullness`: from 0 to 1. */
export const restMsOf = (workedMs: number, fullness: number): number =>
  fullness < IS_FULL ? 0 : Math.min(REST_MS_MAX, Math.ceil(workedMs * REST));

/** How much of the processors this process takes, from 0 to 1. */
function makeProcessorUse(clock: Clock): () => number {
  const processors = availableParallelism();
  let before = process.cpuUsage();
  let since = clock.monotonicMs();
  let use = 0;
  return () => {
    const tookMs = clock.monotonicMs() - since;
    if (tookMs < USE_MS) return use;
    const now = process.cpuUsage();
    use = (now.user + now.system - before.user - before.system) / 1000 / tookMs / processors;
    before = now;
    since += tookMs;
    return use;
  };
}

function makeLoopUse(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/**
 * Judging gives way to senders who wait for their acknowledgement where the event loop or the processors are short of
 * time, since judging may be done in threads; where there is time to spare, none is left idle. `rest` is called between
 * two judgements. `isElsewhere`: they are made in threads.
 */
export function makePace({
  isBusy,
  isElsewhere,
  clock,
}: {
  readonly isBusy: () => boolean;
  readonly isElsewhere: boolean;
  readonly clock: Clock;
}) {
  const processorUse = makeProcessorUse(clock);
  const loopUse = makeLoopUse();
  let since = clock.monotonicMs();
  let askedInTurn = 0;
  return {
    begin(): void {
      since = clock.monotonicMs();
    },
    async rest(): Promise<void> {
      const workedMs = clock.monotonicMs() - since;
      const fullness = Math.max(loopUse(), processorUse());
      const isWaitedFor = isBusy();
      const restMs = isWaitedFor ? restMsOf(workedMs, fullness) : 0;
      askedInTurn += 1;
      if (restMs === 0 && isElsewhere && !isWaitedFor && askedInTurn < ASKED_IN_A_TURN) return;
      askedInTurn = 0;
      await (restMs === 0 ? turn() : pause(restMs, undefined, { ref: false }));
    },
  };
}
