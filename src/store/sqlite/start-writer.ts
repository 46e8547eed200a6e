import { Worker } from 'node:worker_threads';
import { StartError, fault, fileBeside } from '../../kernel/index.ts';
import type { Ask, Outcome } from '../write-queue.ts';
import {
  fromThreadError,
  type FromWriter,
  type ThreadData,
  type ThreadError,
  type ThreadOutcome,
  type ToWriter,
} from './protocol.ts';

export interface Writer {
  readonly version: string;
  readonly migrated: readonly string[];
  /** One batch at a time. */
  run(asks: readonly Ask[]): Promise<{ readonly outcomes: readonly Outcome[]; readonly commitMs: number }>;
  close(): Promise<void>;
}

export function toOutcome(from: ThreadOutcome): Outcome {
  if (from.done) return from;
  const cause = fromThreadError(from.error);
  return 'store' in from ? { done: false, fault: fault(from.store, { cause }) } : { done: false, bug: cause };
}

/** A StartError keeps its words across the threads; SQLite's own errors get words that tell what to do. */
export function toStartError(error: ThreadError): Error {
  if (error.name === 'StartError') return new StartError(error.code ?? 'store.start', error.message);
  const known: Readonly<Record<string, string>> = {
    '5': 'The database is locked by another program. Close that program and start again.',
    '8': 'The database file or its folder cannot be written. Check who owns it.',
    '11': 'The database file is damaged. Restore it from a backup.',
    '13': 'The disk is full. Make room and start again.',
    '14': 'The database file cannot be opened. Check the path in CHARTGATE_DATABASE_URL and the rights on its folder.',
    '26': 'The file that CHARTGATE_DATABASE_URL names is not a SQLite database.',
    EACCES: 'The database folder cannot be written. Check who owns it.',
    EROFS: 'The database folder is on a read-only file system.',
    ENOSPC: 'The disk is full. Make room and start again.',
    ENOTDIR: 'The path in CHARTGATE_DATABASE_URL leads through something that is not a folder.',
  };
  const words = error.code === undefined ? undefined : (known[error.code] ?? known[String(Number(error.code) & 0xff)]);
  return words === undefined ? fromThreadError(error) : new StartError('store.start', words, fromThreadError(error));
}

export function startWriter(data: ThreadData, onBroken: (cause: unknown) => void): Promise<Writer> {
  const thread = new Worker(fileBeside(import.meta.url, './writer-thread'), { workerData: data });
  let batch: ((message: Extract<FromWriter, { kind: 'batch' }>) => void) | undefined;
  let closed: (() => void) | undefined;
  const tell = (message: ToWriter): void => thread.postMessage(message);

  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromWriter) => {
      switch (message.kind) {
        case 'open':
          resolve({
            version: message.version,
            migrated: message.migrated,
            run: (asks) =>
              new Promise((settle) => {
                batch = ({ outcomes, commitMs }) => settle({ outcomes: outcomes.map(toOutcome), commitMs });
                tell({ kind: 'batch', asks: asks.map(({ name, args }) => ({ name, args })) });
              }),
            close: () =>
              new Promise((done) => {
                closed = done;
                tell({ kind: 'close' });
              }),
          });
          break;
        case 'refused':
          reject(toStartError(message.error));
          break;
        case 'batch':
          batch?.(message);
          break;
        case 'broken':
          onBroken(fromThreadError(message.error));
          break;
        case 'closed':
          closed?.();
          break;
      }
    });
    thread.on('error', (thrown: Error) => {
      reject(thrown);
      onBroken(thrown);
    });
    thread.on('exit', () => {
      if (closed === undefined) onBroken(new Error('the writer thread ended'));
    });
  });
}
