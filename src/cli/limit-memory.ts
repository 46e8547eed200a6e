import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * V8 lets the room for new objects grow to 128 MB in a thread, most of which is never used again and never given back.
 * Who starts Node says how large it may be; we are started by others, so its growth is stopped from inside once it is
 * this large.
 */
const YOUNG_BYTES = 16 * 1024 * 1024;
/**
 * Half of what a thread has for new objects from its start, as far as its own limit allows. That their growth is stopped
 * holds for threads as well, which begin with one: what is under way would be copied again and again.
 */
const THREAD_HALF_MB = 8;
/**
 * How far the old objects of a thread may grow before they are looked through again, in percent of what was alive the
 * last time. V8 lets them double and more, nearly all of which is garbage under a steady load.
 */
const OLD_GROWTH_PERCENT = 100;

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * From now on, for the whole process. It may shrink by itself when nothing happens, and grow again. With so little room
 * a thread looks through its new objects by itself: threads that help it cost more to wake and to agree than they bring.
 */
export function limitGarbage(): void {
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  setFlagsFromString(`--min-semi-space-size=${THREAD_HALF_MB}`);
  let factor = 0;
  const look = (): void => {
    const wanted = youngBytes() >= YOUNG_BYTES ? 1 : 2;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  };
  look();
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}
