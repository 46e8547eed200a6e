import { setTimeout as pause } from 'node:timers/promises';
import type { Side } from './side.ts';

/** So little within so long is rest. */
const REST_MS = 250;
const REST_CPU_S = 0.03;

/** CPU seconds of a side that has nothing left to do: what it put off until later is its own, not the other side's. */
export async function cpuAtRest(side: Side): Promise<number> {
  for (let before = await side.cpuSeconds(); ;) {
    await pause(REST_MS);
    const now = await side.cpuSeconds();
    if (now - before < REST_CPU_S) return now;
    before = now;
  }
}
