import { faultFields, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { bucketOf } from './buckets.ts';
import type { Addition, FigureReads, FigureWrites, Series, Timed } from './commands.ts';

/** How often what was counted goes to the store. A kill loses at most this much of the figures, and nothing else. */
const FLUSH_MS = 10_000;

export interface Figures {
  count(series: Exclude<Series, Timed>, by?: number): void;
  time(series: Timed, durationMs: number): void;
  start(): void;
  /** Stores what was counted since the last time. */
  stop(): Promise<void>;
}

/** Counts in memory, and adds to the store a few times a minute, whatever the rate. */
export function collectFigures(deps: {
  readonly tenant: string;
  readonly figures: Operate<FigureWrites, FigureReads>;
  readonly clock: Clock;
  readonly log: Log;
}): Figures {
  const { tenant, figures, clock, log } = deps;
  let counts = new Map<string, Addition>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  function add(series: Series, bucket: number, by: number): void {
    const key = `${series} ${bucket}`;
    counts.set(key, { series, bucket, count: (counts.get(key)?.count ?? 0) + by });
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const additions = [...counts.values()];
    counts = new Map();
    const stored = await figures.write('figures.add', { tenant, at: clock.now(), additions });
    // A store that is away must not make the map of the figures larger than the figures: they are added up.
    if (!stored.ok) for (const { series, bucket, count } of additions) add(series, bucket, count);
    if (!stored.ok && !isFailing) log.warn('figures.not-stored', faultFields(stored.fault));
    isFailing = !stored.ok;
  }

  return {
    count: (series, by = 1) => add(series, 0, by),
    time: (series, durationMs) => add(series, bucketOf(durationMs), 1),
    start() {
      timer = setInterval(() => void flush(), FLUSH_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
