import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kernel/index.ts';

/** Above this the loop has no time to spare: whoever waits for an acknowledgement would wait for a judgement. */
const LOOP_IS_FULL = 0.75;
/** Judging then rests for so many times as long as it worked. */
const REST = 3;
const REST_MS_MAX = 50;

/** How long judging rests after it worked so long; 0: for one turn of the loop. `utilization`: of the loop, since then. */
export const restMsOf = (workedMs: number, utilization: number): number =>
  utilization < LOOP_IS_FULL ? 0 : Math.min(REST_MS_MAX, Math.ceil(workedMs * REST));

/**
 * Judging gives way to senders who wait for their acknowledgement, by as much as the event loop is short of time: a
 * loop that has time to spare is not left idle. `rest` is called between two judgements.
 */
export function makePace({ isBusy, clock }: { readonly isBusy: () => boolean; readonly clock: Clock }) {
  let looked = performance.eventLoopUtilization();
  let since = clock.monotonicMs();
  return {
    begin(): void {
      since = clock.monotonicMs();
    },
    async rest(): Promise<void> {
      const workedMs = clock.monotonicMs() - since;
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, looked);
      looked = now;
      const restMs = isBusy() ? restMsOf(workedMs, utilization) : 0;
      await (restMs === 0 ? turn() : pause(restMs, undefined, { ref: false }));
    },
  };
}
