import { Worker } from 'node:worker_threads';
import { fail, fault, fileBeside, ok, THREAD_LIMITS, type Result } from '../../kernel/index.ts';
import { toOutcome, toStartError } from './start-writer.ts';
import type { Outcome } from '../write-queue.ts';
import type { FromReader, ThreadData, ToReader } from './protocol.ts';

export interface Reader {
  read(name: string, args: unknown): Promise<Result<unknown>>;
  close(): Promise<void>;
}

export function startReader(data: ThreadData, onBroken: (cause: unknown) => void): Promise<Reader> {
  const thread = new Worker(fileBeside(import.meta.url, './reader-thread'), {
    workerData: data,
    resourceLimits: THREAD_LIMITS,
  });
  const asked = new Map<number, (outcome: Outcome) => void>();
  let n = 0;
  let closed: (() => void) | undefined;
  let dead: Error | null = null;
  let refusal: Error | null = null;
  const tell = (message: ToReader): void => thread.postMessage(message);

  const read = (name: string, args: unknown): Promise<Result<unknown>> => {
    if (closed !== undefined) return Promise.resolve(fail(fault('store.closed')));
    if (dead !== null) return Promise.resolve(fail(fault('store.io', { cause: dead })));
    return new Promise((resolve, reject) => {
      n += 1;
      tell({ kind: 'read', n, ask: { name, args } });
      asked.set(n, (outcome) => {
        if (outcome.done) resolve(ok(outcome.out));
        else if ('fault' in outcome) resolve(fail(outcome.fault));
        else reject(outcome.bug);
      });
    });
  };

  return new Promise((resolve, reject) => {
    const die = (why: Error): void => {
      if (dead !== null) return;
      dead = why;
      reject(why);
      for (const settle of asked.values()) settle({ done: false, fault: fault('store.io', { cause: why }) });
      asked.clear();
      closed?.();
      if (closed === undefined) onBroken(why);
    };
    thread.on('message', (message: FromReader) => {
      switch (message.kind) {
        case 'open':
          resolve({
            read,
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
        case 'read':
          asked.get(message.n)?.(toOutcome(message.outcome));
          asked.delete(message.n);
          break;
      }
    });
    thread.on('error', (thrown: Error) => die(thrown));
    // Only now is everything let go of, so that whoever hears of a refusal can open the file again.
    thread.on('exit', () => die(refusal ?? new Error('the reader thread ended')));
  });
}
