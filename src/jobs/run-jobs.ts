import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { JobReads, JobWrites } from './commands.ts';

/** How often it is looked whether a job is left that nobody is at: of a process that is gone, or that was in the way. */
const LOOK_MS = 2_000;

/**
 * Carries out bulk jobs, a few deliveries a commit, behind what others wait for. What is still to come stands in the
 * store, so that it does not matter which process goes on with it, nor when.
 */
export function runJobs(deps: {
  readonly tenant: string;
  readonly jobs: Operate<JobWrites, JobReads>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told that there is something to look at again. */
  readonly onReplay: () => void;
}) {
  const { tenant, jobs, clock, log } = deps;
  let isStopped = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    while (!isStopped) {
      const step = await jobs.writeBehind('jobs.step', { tenant, at: clock.now() });
      if (!step.ok) {
        log.warn('job.failed', faultFields(step.fault));
        return;
      }
      if (step.value.kind !== 'stepped') return;
      const { act, moved, ended } = step.value;
      if (act === 'replay' && moved > 0) deps.onReplay();
      if (ended !== null) log.info('job.ended', { count: ended.moved, state: ended.state });
    }
  }

  /** Twice at once is once. */
  function wake(): void {
    if (isStopped) return;
    running ??= run()
      .catch((thrown: unknown) => log.error('job.failed', { error: safeError(thrown) }))
      .finally(() => (running = null));
  }

  return {
    wake,
    start(): void {
      timer = setInterval(wake, LOOK_MS).unref();
      wake();
    },
    /** The page under way is finished, and nothing more is begun. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
