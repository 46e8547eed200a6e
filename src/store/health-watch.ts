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

type State = StoreHealth['state'];

const stateOf = ({ code }: Fault): State => (code === 'store.commit-unknown' ? 'store.unreachable' : code) as State;

/** Turns the outcomes of batches into one state, and logs a change of it once, not every failure. */
export function makeHealthWatch(deps: { readonly engine: 'sqlite' | 'postgres'; readonly log: Log }) {
  /** Of the database, and of the journal beside it, where it has one. */
  const states: Record<'database' | 'journal', State> = { database: 'ready', journal: 'ready' };
  const figures = { commits: 0, commands: 0, failures: 0, lastBatch: 0, lastCommitMs: 0 };
  const worst = (): State => (states.database === 'ready' ? states.journal : states.database);

  function lost(part: keyof typeof states, fault: Fault): void {
    if (!SHOWN.has(fault.code)) return;
    const before = worst();
    states[part] = stateOf(fault);
    if (worst() !== before) deps.log.error('store.lost', { engine: deps.engine, ...faultFields(fault) });
  }

  function recovered(part: keyof typeof states): void {
    if (states[part] === 'ready') return;
    states[part] = 'ready';
    if (worst() === 'ready') deps.log.info('store.recovered', { engine: deps.engine });
  }

  return {
    state: worst,
    databaseState: (): State => states.database,
    figures: (): StoreFigures => ({ ...figures }),
    lost: (fault: Fault): void => lost('database', fault),
    recovered: (): void => recovered('database'),
    /** A batch is on stable storage. */
    committed(count: number, commitMs: number): void {
      figures.commits += 1;
      figures.commands += count;
      figures.lastBatch = count;
      figures.lastCommitMs = commitMs;
      recovered('database');
    },
    /** A batch as a whole failed. */
    failed(fault: Fault): void {
      figures.failures += 1;
      lost('database', fault);
    },
    /** What an append to the journal failed by; null where one succeeded. */
    journal(fault: Fault | null): void {
      if (fault === null) recovered('journal');
      else lost('journal', fault);
    },
  };
}
