import { setTimeout as pause } from 'node:timers/promises';
import { load } from './load.ts';
import type { Side } from './side.ts';
import type { Round } from './turns.ts';

/** So little within so long is rest. */
const REST_MS = 250;
const REST_CPU_S = 0.03;

export interface Acknowledged extends Round {
  readonly p99Ms: number;
}

/** CPU seconds of a side that has nothing left to do: what it put off until later is its own, not the other side's. */
async function cpuAtRest(side: Side): Promise<number> {
  for (let before = await side.cpuSeconds(); ;) {
    await pause(REST_MS);
    const now = await side.cpuSeconds();
    if (now - before < REST_CPU_S) return now;
    before = now;
  }
}

/** A round of webhooks, and the wait until all that was acknowledged is judged. */
export async function acknowledge(
  side: Side,
  nextBody: () => Buffer,
  { connections, ms }: { readonly connections: number; readonly ms: number },
): Promise<Acknowledged> {
  const before = await side.cpuSeconds();
  const { perSecond, p99Ms, statuses } = await load(side.port, side.path, nextBody, connections, { ms });
  if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
  const after = await cpuAtRest(side);
  return { perSecond, p99Ms, cpuUs: ((after - before) * 1e6) / (statuses.get(202) ?? NaN) };
}
