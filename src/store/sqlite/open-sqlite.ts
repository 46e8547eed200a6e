import { resolve as absolute } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  makePooledChance,
  ok,
  safeError,
  type Clock,
  type FaultCode,
  type Log,
  type Result,
} from '../../kernel/index.ts';
import { OWN_SETS } from '../own-sets.ts';
import type { AnyCommandSet, Journaled, Store, StoreHealth } from '../commands.ts';
import type { StoreEnvironment } from '../identity.ts';
import { makeVault, type VaultKeys } from '../vault.ts';
import {
  makeWriteQueue,
  QUEUE_LIMITS,
  type Ask,
  type Outcome,
  type QueueLimits,
  type Urgency,
} from '../write-queue.ts';
import { makeHealthWatch } from '../health-watch.ts';
import { rememberAnswers } from '../remember-answers.ts';
import type { BlockPlace } from './journal/format.ts';
import { openJournal, type JournalLimits } from './journal/make-journal.ts';
import { makeWaitForPlace } from './journal/wait-for-place.ts';
import type { ThreadData } from './protocol.ts';
import { startReader } from './start-reader.ts';
import { startWriter } from './start-writer.ts';

type ByName<T> = Readonly<Record<string, T | undefined>>;
type AnyJournaled = Journaled<{ args: unknown; out: unknown }>;
type SeesUpTo = (args: unknown, carried: number) => number;

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
  readonly journalLimits?: Partial<JournalLimits>;
}): Promise<Store> {
  const { clock, log } = deps;
  const adding = new Set(deps.sets.flatMap((set) => set.adding ?? []));
  for (const name of deps.sets.flatMap((set) => Object.keys(set.journaled ?? {})))
    if (!adding.has(name)) throw new Error(`${name} is journaled, so it may only add`);
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

  /** Commands of which the last one that was journaled could not be carried out. */
  const doubted = new Set<string>();
  const writer = await startWriter(data, {
    broken: onBroken,
    aside(command, cause) {
      log.error('journal.put-aside', { command, error: safeError(cause) });
      doubted.add(command);
    },
  });
  const reader = await startReader({ ...data, file: writer.file }, onBroken).catch(async (thrown: unknown) => {
    await writer.close();
    throw thrown;
  });
  for (const migration of writer.migrated) log.info('store.migrated', { engine: 'sqlite', migration });
  if (writer.recovered > 0) log.info('journal.recovered', { count: writer.recovered });

  const watch = makeHealthWatch({ engine: 'sqlite', log });
  const kept = rememberAnswers(reader.read, adding);
  const { queueBytes } = deps.limits ?? {};
  let isBusy = false;
  let isClosed = false;

  const journal = openJournal({
    database: writer.file,
    store: writer.store,
    vault: makeVault(deps.keys),
    chance: makePooledChance(),
    clock,
    carried: writer.carriedPlace,
    onDurable: () => queue.wake(),
    onFault: watch.journal,
    onBroken,
    limits: { ...(queueBytes === undefined ? {} : { queueBytes }), ...deps.journalLimits },
  });
  const waitForPlace = makeWaitForPlace({ carriedPlace: journal.carriedPlace, onWanted: () => queue.wake() });
  /** A database that takes nothing is asked by `probe` alone. */
  const isHeld = (): boolean => watch.databaseState() !== 'ready';

  async function runBatch(asks: readonly Ask[], journaled: readonly BlockPlace[]): Promise<readonly Outcome[]> {
    isBusy = true;
    const { outcomes, failure, commitMs } = await writer.run(asks, journaled);
    isBusy = false;
    kept.written(asks.map(({ name }) => name));
    if (failure === null) {
      journal.carriedOut(journaled);
      watch.committed(
        journaled.reduce((sum, { count }) => sum + count, outcomes.length),
        commitMs,
      );
    } else {
      journal.giveBack(journaled);
      watch.failed(failure);
    }
    waitForPlace.release(failure === null ? 'carried-out' : 'all');
    return outcomes;
  }

  const queue = makeWriteQueue({
    take: () => (isBusy ? null : runBatch),
    nowMs: () => clock.monotonicMs(),
    whyWaiting: (): FaultCode => 'store.queue-full',
    limits: { ...QUEUE_LIMITS, ...deps.limits },
    journaled: {
      count: () => (isHeld() ? 0 : journal.waiting().count),
      take: (most) => (isHeld() ? [] : journal.take(most)),
      carriedPlace: journal.carriedPlace,
      wantedPlace: waitForPlace.wantedPlace,
      isAppending: journal.isAppending,
    },
  });

  let proving: Promise<unknown> | null = null;
  /** By both ways in which something is written. */
  async function proveReady(): Promise<void> {
    const args = { nowMs: clock.now().getTime() };
    if (isHeld()) await queue.push('store.beat', args);
    if (!isHeld() && watch.state() !== 'ready') await journal.append('store.beat', args);
  }
  const probe = setInterval(() => {
    if (watch.state() !== 'ready') proving ??= proveReady().finally(() => (proving = null));
  }, PROBE_MS).unref();

  /** `alike`: the commands of its set that are journaled; one that was put aside speaks against all of them. */
  async function append(
    name: string,
    args: unknown,
    { check, answer, whenPutAside }: AnyJournaled,
    alike: readonly string[],
  ): Promise<Result<unknown>> {
    check(args);
    if (whenPutAside === 'commit-first' && alike.some((one) => doubted.has(one))) {
      const committed = await queue.push(name, args);
      if (committed.ok) for (const one of alike) doubted.delete(one);
      return committed;
    }
    const appended = await journal.append(name, args);
    return appended.ok ? ok(answer(appended.value)) : appended;
  }

  let closing: Promise<void> | undefined;
  log.info('store.opened', { engine: 'sqlite', version: writer.version });
  return {
    engine: 'sqlite',
    engineVersion: writer.version,
    use: (set) => {
      const { soon = [], seesJournaled } = set;
      const journaled = (set.journaled ?? {}) as ByName<AnyJournaled>;
      const afterPlace = (set.afterPlace ?? {}) as ByName<(args: unknown) => number>;
      const seesUpTo = seesJournaled === true ? {} : (seesJournaled as ByName<SeesUpTo> | undefined);
      const write = (name: string, args: unknown, urgency: Urgency): Promise<Result<unknown>> => {
        const kind = journaled[name];
        if (kind !== undefined) return append(name, args, kind, Object.keys(journaled));
        const place = Math.min(afterPlace[name]?.(args) ?? 0, journal.durablePlace());
        return queue.push(name, args, urgency, place);
      };
      /** What was journaled until now is seen. */
      const seen = (name: string, args: unknown): Promise<void> | null => {
        if (seesUpTo === undefined) return null;
        const carried = journal.carriedPlace();
        const place = Math.min(seesUpTo[name]?.(args, carried) ?? Infinity, journal.durablePlace());
        return place <= carried ? null : waitForPlace.until(place);
      };
      return {
        write: (name, args) => write(name, args, soon.includes(name) ? 'soon' : 'now'),
        writeBehind: (name, args) => write(name, args, 'behind'),
        async read(name, args) {
          const wait = seen(name, args);
          if (wait !== null) await wait;
          return reader.read(name, args);
        },
        readKept: (name, args) => kept.read(name, args),
      };
    },
    health: (): StoreHealth => {
      const { count, bytes } = queue.size();
      const journaled = journal.waiting().count;
      return { state: isClosed ? 'store.closed' : watch.state(), queued: count, queuedBytes: bytes, journaled };
    },
    figures: watch.figures,
    broken,
    async scrub() {
      const before = journal.durablePlace() + 1;
      for (let tries = 0; tries < SCRUB_TRIES; tries += 1) {
        if ((await journal.wipe(before)) && (await writer.scrub())) return 'done';
        await pause(SCRUB_AGAIN_MS);
      }
      return 'partly';
    },
    close() {
      closing ??= (async () => {
        isClosed = true;
        clearInterval(probe);
        await journal.finish();
        await queue.close();
        waitForPlace.release('all');
        await journal.close();
        await reader.close();
        await writer.close();
      })();
      return closing;
    },
  };
}
