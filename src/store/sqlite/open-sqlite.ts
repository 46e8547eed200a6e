import { resolve as absolute } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type FaultCode, type Log } from '../../kernel/index.ts';
import { OWN_SETS } from '../own-sets.ts';
import type { AnyCommandSet, Store, StoreHealth } from '../commands.ts';
import type { StoreEnvironment } from '../identity.ts';
import type { VaultKeys } from '../vault.ts';
import { makeWriteQueue, QUEUE_LIMITS, type Ask, type Outcome, type QueueLimits } from '../write-queue.ts';
import { makeHealthWatch } from '../health-watch.ts';
import { rememberAnswers } from '../remember-answers.ts';
import type { ThreadData } from './protocol.ts';
import { startReader } from './start-reader.ts';
import { startWriter } from './start-writer.ts';

/** How often a store that could not write tries again by itself, so that it is ready before the next sender comes. */
const PROBE_MS = 1_000;
/** A reader is seldom at it for long. */
const [SCRUB_TRIES, SCRUB_AGAIN_MS] = [20, 100] as const;

export async function openSqlite(deps: {
  readonly file: string;
  readonly filesystem: 'local' | 'any';
  readonly folder?: 'make';
  readonly keys: VaultKeys;
  readonly instance: string;
  readonly environment: StoreEnvironment;
  readonly sets: readonly AnyCommandSet[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<QueueLimits>;
}): Promise<Store> {
  const data: ThreadData = {
    file: absolute(deps.file),
    filesystem: deps.filesystem,
    folder: deps.folder ?? 'existing',
    keys: deps.keys,
    writer: `${deps.instance}.0`,
    environment: deps.environment,
    commandFiles: [...OWN_SETS, ...deps.sets].map((set) => set.sqlite.href),
  };
  let breakIt: (value: { code: 'store.io'; cause: unknown }) => void = () => undefined;
  const broken = new Promise<{ code: 'store.io'; cause: unknown }>((resolve) => {
    breakIt = resolve;
  });
  const onBroken = (cause: unknown): void => breakIt({ code: 'store.io', cause });

  const writer = await startWriter(data, onBroken);
  const reader = await startReader({ ...data, file: writer.file }, onBroken).catch(async (thrown: unknown) => {
    await writer.close();
    throw thrown;
  });
  for (const migration of writer.migrated) deps.log.info('store.migrated', { engine: 'sqlite', migration });

  const watch = makeHealthWatch({ engine: 'sqlite', log: deps.log });
  const kept = rememberAnswers(reader.read, new Set(deps.sets.flatMap(({ adding = [] }) => adding)));
  let isBusy = false;

  async function runBatch(asks: readonly Ask[]): Promise<readonly Outcome[]> {
    isBusy = true;
    const { outcomes, commitMs } = await writer.run(asks);
    isBusy = false;
    kept.written(asks.map(({ name }) => name));
    // Here a fault is always that of the whole batch: what concerns one command alone is a bug.
    const failed = outcomes.find((one) => !one.done && 'fault' in one);
    if (failed !== undefined && 'fault' in failed) watch.failed(failed.fault);
    else watch.committed(outcomes.length, commitMs);
    return outcomes;
  }

  const queue = makeWriteQueue({
    take: () => (isBusy ? null : runBatch),
    nowMs: () => deps.clock.monotonicMs(),
    whyWaiting: (): FaultCode => 'store.queue-full',
    limits: { ...QUEUE_LIMITS, ...deps.limits },
  });

  const probe = setInterval(() => {
    if (watch.state() !== 'ready' && queue.size().count === 0)
      void queue.push('store.beat', { nowMs: deps.clock.now().getTime() });
  }, PROBE_MS).unref();

  let isClosed = false;
  let closing: Promise<void> | undefined;
  deps.log.info('store.opened', { engine: 'sqlite', version: writer.version });
  return {
    engine: 'sqlite',
    engineVersion: writer.version,
    use: ({ soon = [] }) => ({
      write: (name, args, give) => queue.push(name, args, soon.includes(name) ? 'soon' : 'now', give),
      writeBehind: (name, args) => queue.push(name, args, 'behind'),
      read: (name, args) => reader.read(name, args),
      readKept: (name, args) => kept.read(name, args),
    }),
    health: (): StoreHealth => {
      const { count, bytes } = queue.size();
      return { state: isClosed ? 'store.closed' : watch.state(), queued: count, queuedBytes: bytes };
    },
    figures: watch.figures,
    broken,
    async scrub() {
      for (let tries = 0; tries < SCRUB_TRIES; tries += 1) {
        if (await writer.scrub()) return 'done';
        await pause(SCRUB_AGAIN_MS);
      }
      return 'partly';
    },
    close() {
      closing ??= (async () => {
        isClosed = true;
        clearInterval(probe);
        await queue.close();
        await reader.close();
        await writer.close();
      })();
      return closing;
    },
  };
}
