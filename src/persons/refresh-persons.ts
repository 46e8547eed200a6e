import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { PersonReads, PersonWrites } from './commands.ts';
import type { Persons } from './make-persons.ts';
import { makeReadDue, type ReadByMrn } from './read-due.ts';

const LOOK_MS = 2_000;
const TEND_MS = 60_000;
/** Of each second the EHR is asked for at most a tenth, so that reads and deliveries go first. */
const REST_FACTOR = 9;
const REST_MIN_MS = 20;
const REST_MAX_MS = 30_000;
const GONE_KEPT_MS = 24 * 60 * 60_000;

/**
 * Reads the linked patients from the EHR: a new one within seconds, each again once a day. A few at a time, with rests,
 * and none while the EHR is to be left alone.
 */
export function refreshPersons(deps: {
  readonly tenant: string;
  readonly persons: Operate<PersonWrites, PersonReads>;
  readonly index: Pick<Persons, 'tend'>;
  readonly readByMrn: ReadByMrn;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { tenant, persons, clock, log } = deps;
  const nowMs = (): number => clock.now().getTime();
  const readDue = makeReadDue(deps);
  let isStopped = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let rest: { readonly end: () => void } | null = null;
  let tendedMs = 0;
  let isFailing = false;
  let isWoken = false;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const waiting = setTimeout(resolve, ms).unref();
      rest = {
        end: () => {
          clearTimeout(waiting);
          resolve();
        },
      };
    });

  async function work(): Promise<void> {
    while (!isStopped) {
      const startedMs = clock.monotonicMs();
      const done = await readDue();
      if (done.kind === 'nothing') return;
      if (done.kind === 'failed') {
        if (!isFailing) log.warn('persons.not-read', faultFields(done.fault));
        isFailing = true;
        await sleep(REST_MAX_MS);
        continue;
      }
      isFailing = false;
      const tookMs = clock.monotonicMs() - startedMs;
      await sleep(Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, tookMs * REST_FACTOR)));
    }
  }

  async function tend(): Promise<void> {
    if (clock.monotonicMs() - tendedMs < TEND_MS) return;
    tendedMs = clock.monotonicMs();
    await deps.index.tend();
    await persons.writeBehind('persons.sweep', { tenant, beforeMs: nowMs() - GONE_KEPT_MS });
  }

  async function run(): Promise<void> {
    await tend();
    await work();
  }

  /** Twice at once is once, and once more where somebody came in the middle of it. */
  function wake(): void {
    if (isStopped || timer === undefined) return;
    if (running !== null) {
      isWoken = true;
      return;
    }
    running = run()
      .catch((thrown: unknown) => log.error('persons.not-read', { error: safeError(thrown) }))
      .finally(() => {
        running = null;
        if (isWoken) wake();
        isWoken = false;
      });
  }

  return {
    wake,
    start(): void {
      tendedMs = clock.monotonicMs();
      timer = setInterval(wake, LOOK_MS).unref();
      wake();
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      rest?.end();
      await running;
    },
  };
}
