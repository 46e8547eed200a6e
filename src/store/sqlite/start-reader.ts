import { Worker } from 'node:worker_threads';
import { fail, fault, fileBeside, ok, type Result } from '../../kernel/index.ts';
import { toOutcome, toStartError } from './start-writer.ts';
import type { FromReader, ThreadData, ThreadOutcome, ToReader } from './protocol.ts';

export interface Reader {
  read(name: string, args: unknown): Promise<Result<unknown>>;
  close(): Promise<void>;
}

export function startReader(data: ThreadData, onBroken: (cause: unknown) => void): Promise<Reader> {
  const thread = new Worker(fileBeside(import.meta.url, './reader-thread'), { workerData: data });
  const asked = new Map<number, (outcome: ThreadOutcome) => void>();
  let n = 0;
  let closed: (() => void) | undefined;
  const tell = (message: ToReader): void => thread.postMessage(message);

  const read = (name: string, args: unknown): Promise<Result<unknown>> => {
    if (closed !== undefined) return Promise.resolve(fail(fault('store.closed')));
    return new Promise((resolve, reject) => {
      n += 1;
      asked.set(n, (from) => {
        const outcome = toOutcome(from);
        if (outcome.done) resolve(ok(outcome.out));
        else if ('fault' in outcome) resolve(fail(outcome.fault));
        else reject(outcome.bug);
      });
      tell({ kind: 'read', n, ask: { name, args } });
    });
  };

  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromReader) => {
      switch (message.kind) {
        case 'open':
          resolve({
            read,
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
        case 'read':
          asked.get(message.n)?.(message.outcome);
          asked.delete(message.n);
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
      if (closed === undefined) onBroken(new Error('the reader thread ended'));
    });
  });
}
