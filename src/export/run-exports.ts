import { faultFields, safeError, type Log } from '../kernel/index.ts';
import type { ClaimedExport } from './commands.ts';
import { LEASE_MS, runExport, type RunExportDeps } from './run-export.ts';

/** How often it is looked whether an export is left that nobody is at, and how often what is over is cleared away. */
const LOOK_MS = 2_000;
const SWEEP_MS = 30_000;
/** Exports at once in one process; they share the requests to the EHR. */
const AT_ONCE = 4;
const SWEEP_ROWS = 50;

/** Carries out exports in the background, whichever process began them, and destroys them in time. */
export function runExports(deps: RunExportDeps & { readonly instance: string }) {
  const { tenant, exports, clock, instance } = deps;
  const log: Log = deps.log;
  const running = new Set<Promise<void>>();
  let ending = new AbortController();
  let isStopped = true;
  let isLooking = false;
  let isAsked = false;
  let sweeping: Promise<void> | null = null;
  let timers: NodeJS.Timeout[] = [];

  async function carryOut(job: ClaimedExport): Promise<void> {
    let ran: 'over' | 'later' = 'later';
    try {
      ran = await runExport({ ...deps, log }, job, ending.signal);
    } catch (thrown) {
      log.error('export.failed', { error: safeError(thrown) });
    }
    if (ran === 'over') return;
    const { seq, epoch } = job;
    await exports.write('exports.release', { tenant, seq, epoch, at: clock.now(), leaseMs: LEASE_MS });
  }

  /** One after another, so that another process may have some too. */
  async function look(): Promise<void> {
    while (!isStopped && running.size < AT_ONCE && !(await deps.isPaused())) {
      const claimed = await exports.write('exports.claim', {
        tenant,
        owner: instance,
        at: clock.now(),
        leaseMs: LEASE_MS,
      });
      if (!claimed.ok) log.warn('export.failed', faultFields(claimed.fault));
      if (!claimed.ok || claimed.value === null) return;
      const work = carryOut(claimed.value).finally(() => {
        running.delete(work);
        wake();
      });
      running.add(work);
    }
  }

  /** Twice at once is once more: what came while it was looked may have been overlooked. */
  function wake(): void {
    isAsked = true;
    if (isStopped || isLooking) return;
    isLooking = true;
    isAsked = false;
    void look()
      .catch((thrown: unknown) => log.error('export.failed', { error: safeError(thrown) }))
      .finally(() => {
        isLooking = false;
        if (isAsked) wake();
      });
  }

  async function sweep(): Promise<void> {
    while (!isStopped) {
      const swept = await exports.writeBehind('exports.sweep', { tenant, at: clock.now(), limit: SWEEP_ROWS });
      if (!swept.ok || swept.value === 0) break;
    }
    while (!isStopped) {
      const gone = await exports.read('exports.unlinked', { tenant, limit: SWEEP_ROWS });
      if (!gone.ok || gone.value.length === 0) return;
      const forgotten = await exports.writeBehind('exports.forget-unlinked', { tenant, patients: gone.value });
      if (!forgotten.ok) return;
    }
  }

  function tidy(): void {
    sweeping ??= sweep()
      .catch((thrown: unknown) => log.error('export.failed', { error: safeError(thrown) }))
      .finally(() => (sweeping = null));
  }

  return {
    wake,
    /** What is over is cleared away now. */
    tidy,
    start(): void {
      isStopped = false;
      ending = new AbortController();
      timers = [setInterval(wake, LOOK_MS).unref(), setInterval(tidy, SWEEP_MS).unref()];
      wake();
      tidy();
    },
    /** What is under way is given up where it stands, and goes on elsewhere or after the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      ending.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all([...running, sweeping]);
    },
  };
}
export type RunExports = ReturnType<typeof runExports>;
