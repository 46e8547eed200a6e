import { errorCode, fail, fault, ok, type Chance, type Clock, type Fault, type Result } from '../../../kernel/index.ts';
import type { Sealer } from '../../vault.ts';
import { packEntry, type BlockPlace, type PackedEntry } from './format.ts';
import { openJournalFile, type JournalFile } from './journal-file.ts';
import { journalNames } from './journal-names.ts';

export const JOURNAL_LIMITS = {
  /** So much becomes durable together. */
  groupCount: 64,
  groupBytes: 4 * 1024 * 1024,
  /** From this length on the other file is used, once all that stands in it is carried out. */
  fileBytes: 4 * 1024 * 1024,
  /** A file that has become longer is cut before it is used again. */
  keptBytes: 16 * 1024 * 1024,
  /** So much may stand in it that is not carried out: a start carries it out first. */
  waitingBytes: 256 * 1024 * 1024,
  /** Above this an append is refused at once: it is the memory that waiting may cost. */
  queueCount: 4_000,
  queueBytes: 64 * 1024 * 1024,
  /** What could not become durable within this time is refused; the sender may come again. */
  waitMs: 5_000,
  /** When nothing was written to them for so long, nothing is left in the files. */
  idleMs: 2_000,
} as const;
export type JournalLimits = { readonly [K in keyof typeof JOURNAL_LIMITS]: number };

/** Whoever was answered within it may ask again. */
const MOMENT_MS = 10;

interface Waiting {
  readonly packed: PackedEntry;
  readonly weight: number;
  readonly since: number;
  readonly settle: (result: Result<number>) => void;
}

export interface Journal {
  /** The place of the entry, once it is durable. Rejects what cannot be written down, which is a bug. */
  append(name: string, args: unknown): Promise<Result<number>>;
  /** What is durable and not carried out, and has not been taken. */
  waiting(): { readonly count: number; readonly bytes: number };
  /** Whole blocks from the first on, one at least; none that begins behind `through`. */
  take(most: { readonly count: number; readonly bytes: number; readonly through: number }): readonly BlockPlace[];
  /** What was taken is committed. */
  carriedOut(blocks: readonly BlockPlace[]): void;
  /** It is not, and is taken again. */
  giveBack(blocks: readonly BlockPlace[]): void;
  /** The place of the last entry that is durable, and of the last that is carried out. */
  durablePlace(): number;
  carriedPlace(): number;
  /** Whether somebody waits for an append, or did a moment ago. */
  isAppending(): boolean;
  /**
   * Destroys the keys of all that stands in it now, or below this place. False where not all of that is carried out, or
   * it is being written to: then once more.
   */
  wipe(before?: number): Promise<boolean>;
  /** Refuses what comes from now on, and resolves when what came before is durable. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** An error of the disk that goes by when there is room again. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * What is acknowledged before it is carried out. An append resolves when the entry is on the disk; whoever carries
 * entries out takes them by their places, reads them from the file, and says when they are committed in the database.
 * The two files must be there, and nothing in them may be wanted any more.
 */
export function openJournal(deps: {
  readonly database: string;
  readonly store: string;
  readonly vault: Sealer;
  readonly chance: Chance;
  readonly clock: Clock;
  /** The last place that was ever carried out. */
  readonly carried: number;
  readonly onDurable: () => void;
  /** What an append failed by; null where one succeeded. */
  readonly onFault: (fault: Fault | null) => void;
  /** A flush failed: what is on the disk is not known, and the process must end. */
  readonly onBroken: (thrown: unknown) => void;
  readonly limits?: Partial<JournalLimits>;
}): Journal {
  const { clock } = deps;
  const limits: JournalLimits = { ...JOURNAL_LIMITS, ...deps.limits };
  const files = journalNames(deps.database).map((path) => openJournalFile(path, { ...deps, ...limits }));
  let current = 0;
  const gathering: Waiting[] = [];
  let gatheredBytes = 0;
  /** Durable, and not taken. */
  let blocks: BlockPlace[] = [];
  const standing = { count: 0, bytes: 0 };
  let takenBytes = 0;
  let nextPlace = deps.carried + 1;
  let carried = deps.carried;
  let durableAt = -Infinity;
  let isFlushing = false;
  let isScheduled = false;
  let isFinished = false;
  let isBroken = false;
  /** Uses that began before this place are to be wiped; null for none. */
  let wipeBefore: number | null = null;
  let expiry: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let finished: (() => void) | undefined;

  const isFull = (): boolean => standing.bytes + takenBytes >= limits.waitingBytes;
  const isCarriedOut = (): boolean => files.every((file) => file.waiting() === 0);
  const fileAt = (n: number): JournalFile => files[n] as JournalFile;

  function takeGroup(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const one of gathering) {
      bytes += one.weight;
      if (count > 0 && (bytes > limits.groupBytes || count === limits.groupCount)) break;
      count += 1;
    }
    const group = gathering.splice(0, count);
    for (const { weight } of group) gatheredBytes -= weight;
    return group;
  }

  /** The file that the next block is written to: another than the last one, or a new use of it, where it is long. */
  function chooseFile(): JournalFile {
    const [now, other] = [fileAt(current), fileAt(1 - current)];
    const use = now.use();
    const mayStay = use !== null && use >= (wipeBefore ?? 0) && now.end() < limits.fileBytes;
    if (mayStay || (now.waiting() > 0 && other.waiting() > 0)) return now;
    if (now.waiting() > 0) current = 1 - current;
    const chosen = fileAt(current);
    chosen.renew();
    return chosen;
  }

  /** Where the disk is not merely full, nobody knows what of a write is on it. */
  function faultOf(thrown: unknown): Fault {
    if (NO_ROOM.has(errorCode(thrown) ?? '')) return fault('store.full', { cause: thrown });
    isBroken = true;
    deps.onBroken(thrown);
    return fault('store.io', { cause: thrown });
  }

  async function makeDurable(group: readonly Waiting[]): Promise<Result<number>> {
    if (isBroken) return fail(fault('store.io'));
    try {
      const entries = group.map(({ packed }) => packed);
      const place = { ...(await chooseFile().append(entries, nextPlace)), file: current };
      nextPlace += place.count;
      blocks.push(place);
      standing.count += place.count;
      standing.bytes += place.bytes;
      durableAt = clock.monotonicMs();
      return ok(place.first);
    } catch (thrown) {
      return fail(faultOf(thrown));
    }
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    if (isFlushing || gathering.length === 0 || isFull()) return;
    isFlushing = true;
    const group = takeGroup();
    const durable = await makeDurable(group);
    deps.onFault(durable.ok ? null : durable.fault);
    group.forEach(({ settle }, i) => settle(durable.ok ? ok(durable.value + i) : durable));
    if (durable.ok) deps.onDurable();
    release();
  }

  /** The files are free for the next. */
  function release(): void {
    isFlushing = false;
    schedule();
    finishIfDone();
  }

  function finishIfDone(): void {
    if (isFinished && !isFlushing && gathering.length === 0) finished?.();
  }

  // After the I/O of this turn: what was read together becomes durable together.
  function schedule(): void {
    if (isScheduled || isFlushing || gathering.length === 0) return;
    isScheduled = true;
    setImmediate(() => void flush());
  }

  function expire(): void {
    expiry = undefined;
    const late = clock.monotonicMs() - limits.waitMs;
    while ((gathering[0]?.since ?? Infinity) <= late) {
      const one = gathering.shift() as Waiting;
      gatheredBytes -= one.weight;
      one.settle(fail(fault('store.queue-full')));
    }
    watch();
    finishIfDone();
  }
  function watch(): void {
    const [first] = gathering;
    if (first !== undefined && expiry === undefined)
      expiry = setTimeout(expire, Math.max(1, first.since + limits.waitMs - clock.monotonicMs())).unref();
  }

  /** Nobody writes to a file while something else is done with it. */
  async function alone(work: () => Promise<boolean>): Promise<boolean> {
    if (isFlushing || isBroken) return false;
    isFlushing = true;
    try {
      return await work();
    } catch (thrown) {
      deps.onFault(faultOf(thrown));
      return false;
    } finally {
      release();
    }
  }

  function wipe(before = nextPlace): Promise<boolean> {
    const wanted = (wipeBefore = Math.max(wipeBefore ?? 0, before));
    const isOld = (file: JournalFile): boolean => file.mayHold() && (file.use() ?? 0) < wanted;
    return alone(async () => {
      for (const file of files) if (isOld(file) && file.waiting() === 0) await file.wipe();
      if (files.some(isOld)) return false;
      if (wipeBefore === wanted) wipeBefore = null;
      return true;
    });
  }

  function wipeWhenIdle(): void {
    if (idle !== undefined) idle.refresh();
    else if (!isFinished)
      idle = setTimeout(() => {
        idle = undefined;
        if (isCarriedOut() && gathering.length === 0) void wipe();
      }, limits.idleMs).unref();
  }

  return {
    append(name, args) {
      if (isFinished) return Promise.resolve(fail(fault('store.closed')));
      if (isBroken) return Promise.resolve(fail(fault('store.io')));
      return new Promise((settle) => {
        const packed = packEntry({ name, args });
        const weight = packed.reduce((sum, { byteLength }) => sum + byteLength, 0);
        if (gathering.length >= limits.queueCount || gatheredBytes + weight > limits.queueBytes) {
          settle(fail(fault('store.queue-full')));
          return;
        }
        gathering.push({ packed, weight, since: clock.monotonicMs(), settle });
        gatheredBytes += weight;
        schedule();
        watch();
      });
    },
    waiting: () => standing,
    take(most) {
      let [n, count, bytes] = [0, 0, 0];
      for (const block of blocks) {
        count += block.count;
        bytes += block.bytes;
        if (block.first > most.through || (n > 0 && (count > most.count || bytes > most.bytes))) break;
        n += 1;
      }
      const taken = blocks.splice(0, n);
      for (const block of taken) {
        standing.count -= block.count;
        standing.bytes -= block.bytes;
        takenBytes += block.bytes;
      }
      return taken;
    },
    carriedOut(done) {
      for (const { file, bytes, first, count } of done) {
        fileAt(file).carriedOut(count);
        takenBytes -= bytes;
        carried = first + count - 1;
      }
      schedule();
      // Other batches go on all the time.
      if (done.length > 0) wipeWhenIdle();
    },
    giveBack(taken) {
      for (const { count, bytes } of taken) {
        standing.count += count;
        standing.bytes += bytes;
        takenBytes -= bytes;
      }
      blocks = [...taken, ...blocks];
    },
    durablePlace: () => nextPlace - 1,
    carriedPlace: () => carried,
    isAppending: () => isFlushing || gathering.length > 0 || clock.monotonicMs() - durableAt < MOMENT_MS,
    wipe,
    finish() {
      isFinished = true;
      clearTimeout(idle);
      return new Promise((resolve) => {
        finished = resolve;
        finishIfDone();
      });
    },
    async close() {
      clearTimeout(expiry);
      // All of it is carried out: nothing is left for the next start.
      if (isCarriedOut()) await wipe();
      for (const file of files) file.close();
    },
  };
}
