import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

/** What one process measured, in a form that can be sent to another. */
export type MetricsReading = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** How many take connections, and how often one was started again. */
interface Crew {
  readonly serving: number;
  readonly restarts: number;
}

/** What only grows: it must not shrink because a process is gone. */
const isCounted = ({ type }: { readonly type: unknown }): boolean => type === 'counter' || type === 'histogram';

const merge = (readings: MetricsReading[]): Registry => AggregatorRegistry.aggregate(readings);

/**
 * The metrics of several processes as of one. Of a process that ended, what it had counted when it was last asked stays
 * in the sums: a sum that fell would be taken for a restart, and everything be counted twice.
 */
export function makeMergedMetrics() {
  const last = new Map<number, MetricsReading>();
  let ended: MetricsReading = [];
  /** Retiring one follows the other. */
  let retiring: Promise<void> = Promise.resolve();

  /** What the one that merges counts itself. */
  function readOwn(crew: Crew): Promise<MetricsReading> {
    const own = new Registry();
    new Gauge({ name: 'chartgate_workers', help: 'Workers that take connections', registers: [own] }).set(crew.serving);
    new Counter({
      name: 'chartgate_worker_restarts_total',
      help: 'Workers that ended and were started again',
      registers: [own],
    }).inc(crew.restarts);
    return own.getMetricsAsJSON();
  }

  return {
    readOwn,
    learn: (worker: number, reading: MetricsReading): void => void last.set(worker, reading),
    retire(worker: number): void {
      const counted = (last.get(worker) ?? []).filter(isCounted);
      last.delete(worker);
      retiring = retiring.then(async () => {
        ended = await merge([ended, counted]).getMetricsAsJSON();
      });
    },
    async render(crew: Crew): Promise<string> {
      await retiring;
      return merge([...last.values(), ended, await readOwn(crew)]).metrics();
    },
  };
}
