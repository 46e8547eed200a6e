import { cpuAtRest } from './cpu-at-rest.ts';
import { load } from './load.ts';
import type { Side } from './side.ts';
import type { Round } from './turns.ts';

export interface Acknowledged extends Round {
  readonly p99Ms: number;
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
