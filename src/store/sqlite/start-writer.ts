import { Worker } from 'node:worker_threads';
import { StartError, THREAD_LIMITS, fault, fileBeside, type Fault } from '../../kernel/index.ts';
import type { Ask, Outcome } from '../write-queue.ts';
import {
  fromThreadError,
  type FromWriter,
  type Opened,
  type StoreFailure,
  type ThreadData,
  type ThreadError,
  type ThreadOutcome,
  type ToWriter,
} from './protocol.ts';
import type { BlockPlace } from './journal/format.ts';

export interface Writer extends Opened {
  /** One batch at a time. Never rejects. */
  run(asks: readonly Ask[], journaled: readonly BlockPlace[]): Promise<Ran>;
  /** Cuts off the log. False where a reader stood in the way. */
  scrub(): Promise<boolean>;
  close(): Promise<void>;
}

export interface Ran {
  readonly outcomes: readonly Outcome[];
  /** Nothing of the batch is stored, nor carried out of what was journaled. */
  readonly failure: Fault | null;
  readonly commitMs: number;
}

export function toOutcome(from: ThreadOutcome): Outcome {
  if (from.done) return from;
  if ('store' in from) return { done: false, fault: toFault(from) };
  return { done: false, bug: fromThreadError(from.error) };
}

const toFault = ({ store, error }: StoreFailure): Fault => fault(store, { cause: fromThreadError(error) });

/** By SQLite's number, or the system's word. */
const REFUSALS: Readonly<Record<string, readonly [code: string, words: string]>> = {
  '5': ['store.locked', 'The database is locked by another program. Close that program and start again.'],
  '8': ['store.start', 'The database file or its folder cannot be written. Check who owns it.'],
  '11': ['store.damaged', 'The database file is damaged. Restore it from a backup.'],
  '13': ['store.full', 'The disk is full. Make room and start again.'],
  '14': [
    'store.start',
    'The database file cannot be opened. Check the path in CHARTGATE_DATABASE_URL and the rights on its folder.',
  ],
  '26': ['store.start', 'The file that CHARTGATE_DATABASE_URL names is not a SQLite database.'],
  EACCES: ['store.start', 'The database folder cannot be written. Check who owns it.'],
  EROFS: ['store.start', 'The database folder is on a read-only file system.'],
  ENOSPC: ['store.full', 'The disk is full. Make room and start again.'],
  ENOTDIR: ['store.start', 'The path in CHARTGATE_DATABASE_URL leads through something that is not a folder.'],
};

/** A StartError keeps its words across the threads; SQLite's own errors get words that tell what to do. */
export function toStartError(error: ThreadError): Error {
  if (error.name === 'StartError') return new StartError(error.code ?? 'store.start', error.message);
  const { code = '' } = error;
  const known = Object.hasOwn(REFUSALS, code) ? code : String(Number(code) & 0xff);
  const [startCode, words] = REFUSALS[known] ?? [];
  return startCode === undefined
    ? fromThreadError(error)
    : new StartError(startCode, words ?? '', fromThreadError(error));
}

/** The asks that can be copied into a thread; the others are bugs of their callers. */
function sortCopyable(asks: readonly Ask[]): Map<number, Outcome> {
  const bad = new Map<number, Outcome>();
  asks.forEach(({ args }, i) => {
    try {
      structuredClone(args);
    } catch (thrown) {
      bad.set(i, { done: false, bug: thrown instanceof Error ? thrown : new Error('the arguments cannot be copied') });
    }
  });
  return bad;
}

export function startWriter(
  data: ThreadData,
  on: {
    readonly broken: (cause: unknown) => void;
    /** Something that was journaled could not be carried out. */
    readonly aside: (command: string, cause: unknown) => void;
  },
): Promise<Writer> {
  const thread = new Worker(fileBeside(import.meta.url, './writer-thread'), {
    workerData: data,
    resourceLimits: THREAD_LIMITS,
  });
  let settleBatch: ((done: Extract<FromWriter, { kind: 'batch' }> | Error) => void) | undefined;
  let closed: (() => void) | undefined;
  let scrubbed: ((isDone: boolean) => void) | undefined;
  let dead: Error | null = null;
  let refusal: Error | null = null;
  const tell = (message: ToWriter): void => thread.postMessage(message);

  function run(asks: readonly Ask[], journaled: readonly BlockPlace[]): Promise<Ran> {
    const allFailed = (why: Error): Ran => {
      const failure = fault('store.io', { cause: why });
      return { outcomes: asks.map(() => ({ done: false, fault: failure })), failure, commitMs: 0 };
    };
    if (dead !== null) return Promise.resolve(allFailed(dead));
    return new Promise((settle) => {
      let bad = new Map<number, Outcome>();
      settleBatch = (done) => {
        if (done instanceof Error) {
          settle(allFailed(done));
          return;
        }
        const good = done.outcomes.values();
        const next = (): Outcome => {
          const { value } = good.next();
          return value === undefined ? { done: false, bug: new Error('no outcome') } : toOutcome(value);
        };
        settle({
          outcomes: asks.map((_, i) => bad.get(i) ?? next()),
          failure: done.failure === null ? null : toFault(done.failure),
          commitMs: done.commitMs,
        });
      };
      const plain = asks.map(({ name, args }) => ({ name, args }));
      try {
        tell({ kind: 'batch', asks: plain, journaled });
      } catch {
        bad = sortCopyable(asks);
        tell({ kind: 'batch', asks: plain.filter((_, i) => !bad.has(i)), journaled });
      }
    });
  }

  return new Promise((resolve, reject) => {
    const die = (why: Error): void => {
      if (dead !== null) return;
      dead = why;
      reject(why);
      settleBatch?.(why);
      scrubbed?.(false);
      closed?.();
      if (closed === undefined) on.broken(why);
    };
    thread.on('message', (message: FromWriter) => {
      switch (message.kind) {
        case 'open':
          resolve({
            ...message.opened,
            run,
            scrub: () =>
              new Promise((done) => {
                scrubbed = done;
                if (dead === null) tell({ kind: 'scrub' });
                else done(false);
              }),
            close: () =>
              new Promise((done) => {
                closed = done;
                if (dead === null) tell({ kind: 'close' });
                else done();
              }),
          });
          break;
        case 'refused':
          refusal = toStartError(message.error);
          break;
        case 'batch':
          settleBatch?.(message);
          break;
        case 'aside':
          on.aside(message.name, fromThreadError(message.error));
          break;
        case 'scrubbed':
          scrubbed?.(message.done);
          break;
        case 'broken':
          on.broken(fromThreadError(message.error));
          break;
      }
    });
    thread.on('error', (thrown: Error) => die(thrown));
    // Only now is everything let go of, so that whoever hears of a refusal can open the file again.
    thread.on('exit', () => die(refusal ?? new Error('the writer thread ended')));
  });
}
