import type { Dispatcher } from 'undici';
import type { AbandonSignal, EhrRequest } from './exchange.ts';
import type { RawAnswer } from './read-answer.ts';
import { receiveAnswer } from './receive-answer.ts';

/** What leaves. */
export interface Leaving {
  readonly target: string;
  /** Names and values in turns. */
  readonly headers: string[];
  readonly body: string | null;
}

/** What an exchange came to, as seen on the wire; and who called it off. */
export interface Ended {
  readonly sent: 'nothing' | 'something';
  readonly answer: RawAnswer | null;
  readonly error: unknown;
  readonly calledOff: 'timeout' | 'abandoned' | null;
}

/**
 * One request on the pool itself, without fetch and its streams. Resolves when the answer is whole, when the connection
 * broke, and at once when it is called off; what then still comes is thrown away.
 */
export function dispatchOnce(
  pool: Dispatcher,
  { target, headers, body }: Leaving,
  of: {
    readonly method: EhrRequest['method'];
    readonly deadlineMs: number;
    readonly signal: AbandonSignal | undefined;
    readonly admit: EhrRequest['admit'];
  },
): Promise<Ended> {
  const { method, deadlineMs, signal, admit } = of;
  return new Promise((resolve) => {
    let sent: Ended['sent'] = 'nothing';
    let answer: Ended['answer'] = null;
    let error: unknown = null;
    const received = receiveAnswer();
    let given: Dispatcher.DispatchController | undefined;
    let calledOff: Ended['calledOff'] = null;

    const end = (): void => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abandon);
      resolve({ sent, answer, error, calledOff });
    };
    const callOff = (why: 'timeout' | 'abandoned'): void => {
      calledOff = why;
      given?.abort(new Error('called off'));
      end();
    };
    const abandon = (): void => callOff('abandoned');
    const deadline = setTimeout(() => callOff('timeout'), deadlineMs).unref();
    if (signal?.aborted === true) {
      abandon();
      return;
    }
    signal?.addEventListener('abort', abandon);

    try {
      pool.dispatch(
        { path: target, method, headers, body },
        {
          onRequestStart(controller) {
            given = controller;
            // It waited for a connection for so long that nobody wants it any more; nothing of it was written.
            if (calledOff !== null) controller.abort(new Error('called off'));
            else sent = 'something';
          },
          onResponseStart(_controller, statusCode, answered) {
            received.begin(statusCode, answered);
          },
          onResponseData(controller, part) {
            received.add(part);
            const may = admit?.(part.length) ?? true;
            if (may === true) return;
            controller.pause();
            void may.then((isAdmitted) => {
              if (isAdmitted) controller.resume();
              else if (calledOff === null) abandon();
            });
          },
          onResponseEnd() {
            answer = received.whole();
            end();
          },
          onResponseError(_controller, broken) {
            error = broken;
            end();
          },
        },
      );
    } catch (thrown) {
      error = thrown;
      end();
    }
  });
}
