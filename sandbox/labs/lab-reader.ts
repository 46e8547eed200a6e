import { Worker } from 'node:worker_threads';
import { fileBeside, type ThreadAnswers } from '../../src/kernel/index.ts';
import type { LabReading, SubmittedDocument } from './lab-document.ts';

export interface LabReader {
  /** One document at a time, in a thread: whoever asks is never held up. What cannot be read in time is illegible. */
  readLabDocument(document: SubmittedDocument): Promise<LabReading>;
  /** Ends the thread, also in the middle of a document, which is then illegible. */
  end(): Promise<void>;
}

export interface LabReaderOptions {
  /** How long the thread, with its 150 MB, stays when nobody asks. */
  readonly idleMs?: number;
  /** For one document. */
  readonly timeMs?: number;
}

/** What the thread answers, or that it ended or takes too long. */
function answerOf(worker: Worker, document: SubmittedDocument, timeMs: number): Promise<LabReading | 'ended'> {
  return new Promise((resolve) => {
    const settle = (outcome: LabReading | 'ended'): void => {
      clearTimeout(late);
      worker.off('message', hear).off('error', stop).off('exit', stop);
      resolve(outcome);
    };
    // One is asked at a time.
    const hear = ([only]: ThreadAnswers<LabReading>): void =>
      settle(only !== undefined && 'answer' in only ? only.answer : { kind: 'illegible' });
    const stop = (): void => settle('ended');
    const late = setTimeout(stop, timeMs);
    worker.on('message', hear).on('error', stop).on('exit', stop);
    worker.postMessage({ n: 0, question: document });
  });
}

/**
 * The thread, the PDF reader and the recogniser are loaded with the first document, and leave memory when nobody asks
 * for a while.
 */
export function makeLabReader({ idleMs = 30_000, timeMs = 180_000 }: LabReaderOptions = {}): LabReader {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    await ending?.terminate();
  }

  async function read(document: SubmittedDocument): Promise<LabReading> {
    clearTimeout(idle);
    const mine = (worker ??= new Worker(fileBeside(import.meta.url, './reading-thread'), { env: {} }));
    mine.ref();
    const outcome = await answerOf(mine, document, timeMs);
    if (outcome === 'ended') {
      await end();
      return { kind: 'illegible' };
    }
    mine.unref();
    idle = setTimeout(() => void end(), idleMs).unref();
    return outcome;
  }

  return {
    readLabDocument: (document) => {
      const reading = last.then(() => read(document));
      last = reading;
      return reading;
    },
    end,
  };
}
