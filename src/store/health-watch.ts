import { faultFields, type Fault, type Log } from '../kernel/index.ts';
import type { StoreFigures, StoreHealth } from './commands.ts';

const SHOWN = new Set<string>([
  'store.full',
  'store.io',
  'store.unreachable',
  'store.not-durable',
  'store.busy',
  'store.commit-unknown',
]);

/** Turns the outcomes of batches into one state, and logs a change of it once, not every failure. */
export function makeHealthWatch(deps: { readonly engine: 'sqlite' | 'postgres'; readonly log: Log }) {
  let state: StoreHealth['state'] = 'ready';
  const figures = { commits: 0, commands: 0, failures: 0, lastBatch: 0, lastCommitMs: 0 };

  function lost(fault: Fault): void {
    if (!SHOWN.has(fault.code)) return;
    const next = (fault.code === 'store.commit-unknown' ? 'store.unreachable' : fault.code) as StoreHealth['state'];
    if (next === state) return;
    state = next;
    deps.log.error('store.lost', { engine: deps.engine, ...faultFields(fault) });
  }

  function recovered(): void {
    if (state === 'ready') return;
    state = 'ready';
    deps.log.info('store.recovered', { engine: deps.engine });
  }

  return {
    state: (): StoreHealth['state'] => state,
    figures: (): StoreFigures => ({ ...figures }),
    lost,
    recovered,
    /** A batch is on stable storage. */
    committed(count: number, commitMs: number): void {
      figures.commits += 1;
      figures.commands += count;
      figures.lastBatch = count;
      figures.lastCommitMs = commitMs;
      recovered();
    },
    /** A batch as a whole failed. */
    failed(fault: Fault): void {
      figures.failures += 1;
      lost(fault);
    },
  };
}
