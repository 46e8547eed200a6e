import { setTimeout as pause } from 'node:timers/promises';
import { ok, safeError, type Clock, type Fault, type Log, type Result } from '../../kernel/index.ts';
import type { Store } from '../commands.ts';
import { resealSet, type DataKeys, type Resealing } from './commands.ts';
import type { SealedTable, Walk, Walked } from './sealed-table.ts';

const ROWS_PER_PAGE = 200;
const PAGES_A_NOTE = 25;
const AGAIN_MS = 2_000;
/** Who has said nothing for so long is not at it any more, and another replica takes over. */
const SILENT_MS = 60_000;
const LOOK_MS = 30_000;

/** Why a run was left: the store has a fault, or this process stops. It is taken up again where the note says. */
class Interrupted extends Error {
  readonly fault: Fault | null;
  constructor(why: Fault | null) {
    super('interrupted');
    this.fault = why;
  }
}

const isUnderWay = (last: Resealing | null): last is Resealing =>
  last?.state === 'running' || last?.state === 'waiting';

/**
 * Brings everything that older data keys sealed under the one that seals now, in the background and behind what others
 * wait for. May be killed at any moment: what is done stays done, and a process that serves the database goes on with
 * the rest.
 */
export function continueResealing(deps: {
  readonly store: Store;
  readonly tables: readonly SealedTable[];
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly againMs?: number;
}) {
  const { store, tables, clock, log } = deps;
  const own = store.use(resealSet);
  const nowMs = (): number => clock.now().getTime();
  const stopping = new AbortController();
  const againMs = deps.againMs ?? AGAIN_MS;
  let running: Promise<void> | null = null;

  async function must<T>(asked: Promise<Result<T>>): Promise<T> {
    const result = await asked;
    if (!result.ok) throw new Interrupted(result.fault);
    if (stopping.signal.aborted) throw new Interrupted(null);
    return result.value;
  }
  const wait = (): Promise<unknown> =>
    pause(againMs, undefined, { signal: stopping.signal, ref: false }).catch(() => null);

  /** Every table from its beginning to its end; gives how many values it came upon. */
  async function walkAll(
    ids: readonly string[],
    page: (walk: Walk) => Promise<Result<Walked>>,
    onPage: (table: string, walked: Walked) => Promise<void>,
  ): Promise<number> {
    let found = 0;
    for (const of of tables)
      for (let after: Walk['after'] = null; ;) {
        const walked: Walked = await must(page({ of, after, limit: of.rowsPerPage ?? ROWS_PER_PAGE, ids }));
        found += walked.found;
        await onPage(of.table, walked);
        if (walked.last === null) break;
        after = walked.last;
      }
    return found;
  }

  /** The writer is asked only where there is something to write. */
  async function sealPage(walk: Walk): Promise<Result<Walked>> {
    const seen = await own.read('reseal.count', walk);
    return seen.ok && seen.value.found > 0 ? own.writeBehind('reseal.walk', walk) : seen;
  }

  async function carryOut(from: Resealing): Promise<void> {
    let now = { ...from, by: deps.instance, atMs: nowMs() };
    const note = async (more: Partial<Resealing>): Promise<void> => {
      now = { ...now, ...more, atMs: nowMs() };
      await must(own.write('reseal.note', now));
    };
    const ids = now.from;
    const isInUse = async (): Promise<boolean> => (await must(own.write('reseal.in-use', { ids }))).length > 0;

    await note({ state: 'waiting' });
    while (await isInUse()) {
      await wait();
      await note({});
    }
    const names = [...new Set(tables.map(({ table }) => table))];
    await note({ state: 'running', rows: 0, rowsInAll: await must(own.read('reseal.rows', { tables: names })) });
    let pages = 0;
    await walkAll(ids, sealPage, async (table, { rows, found }) => {
      pages += 1;
      now = { ...now, table, rows: now.rows + rows, resealed: now.resealed + found };
      if (pages % PAGES_A_NOTE === 0) await note({});
    });
    const left = await walkAll(
      ids,
      (walk) => own.read('reseal.count', walk),
      () => Promise.resolve(),
    );
    if (left > 0) {
      await note({ state: 'stuck', table: null, left });
      log.error('data-key.kept', { count: left });
      return;
    }
    await must(own.write('reseal.retire', { ids }));
    await note({ state: 'done', table: null, left, scrubbed: await store.scrub() });
    log.info('data-key.retired', { count: now.resealed });
  }

  /** Until it is done or stuck. A store that is away is waited for. */
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const keys = await own.read('reseal.keys', null);
      if (keys.ok && !isUnderWay(keys.value.last)) return;
      try {
        if (keys.ok && isUnderWay(keys.value.last)) await carryOut(keys.value.last);
        else await wait();
      } catch (thrown) {
        if (!(thrown instanceof Interrupted)) throw thrown;
        if (thrown.fault !== null) await wait();
      }
    }
  }

  function goOn(): void {
    running ??= run()
      .catch((thrown: unknown) => log.error('data-key.kept', { error: safeError(thrown) }))
      .finally(() => (running = null));
  }

  /** Goes on with what a process that is gone has begun. */
  async function resume(): Promise<void> {
    const keys = await own.read('reseal.keys', null);
    if (!keys.ok || !isUnderWay(keys.value.last) || keys.value.last.to !== keys.value.sealing) return;
    const isAlone = store.engine === 'sqlite';
    if (isAlone || nowMs() - keys.value.last.atMs > SILENT_MS) goOn();
  }
  const look = (): void =>
    void resume().catch((thrown: unknown) => log.error('data-key.kept', { error: safeError(thrown) }));
  let timer: NodeJS.Timeout | undefined;

  return {
    start(): void {
      look();
      timer = setInterval(look, LOOK_MS).unref();
    },
    keys: (): Promise<Result<DataKeys>> => own.read('reseal.keys', null),
    /** Begins, unless it goes on already or there is nothing older. */
    async rotate(): Promise<Result<DataKeys>> {
      const keys = await own.read('reseal.keys', null);
      if (!keys.ok) return keys;
      const { sealing, older, last } = keys.value;
      if (older.length === 0) return keys;
      if (!isUnderWay(last) || last.to !== sealing) {
        const at = nowMs();
        const begun: Resealing = {
          state: 'waiting',
          to: sealing,
          from: older,
          startedAtMs: at,
          atMs: at,
          by: deps.instance,
          table: null,
          rows: 0,
          rowsInAll: 0,
          resealed: 0,
          left: null,
          scrubbed: null,
        };
        const noted = await own.write('reseal.note', begun);
        if (!noted.ok) return noted;
        goOn();
        return ok({ ...keys.value, last: begun });
      }
      goOn();
      return keys;
    },
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}

export type KeptResealing = ReturnType<typeof continueResealing>;
