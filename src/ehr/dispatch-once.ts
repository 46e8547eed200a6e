import type { Dispatcher } from 'undici';
import type { EhrRequest } from './exchange.ts';
import { receiveAnswer } from './receive-answer.ts';
import type { Leaving, Tapped } from './tap-answer.ts';

/** An exchange that was called off, and by whom. */
export type Ended = Tapped & { readonly calledOff: 'timeout' | 'abandoned' | null };

/**
 * One request on the pool itself, without fetch and its streams. Resolves when the answer is whole, when the connection
 * broke, and at once when it is called off; what then still comes is thrown away.
 */
export function dispatchOnce(
  pool: Dispatcher,
  { target, headers, body }: Leaving,
  of: {
    readonly method: 'GET' | 'POST';
    readonly deadlineMs: number;
    readonly signal: AbortSignal | undefined;
    readonly admit: EhrRequest['admit'];
  },
): Promise<Ended> {
  const { method, deadlineMs, signal, admit } = of;
  return new Promise((resolve) => {
    const tapped: Tapped = { sent: 'nothing', answer: null, error: null };
    const received = receiveAnswer();
    let given: Dispatcher.DispatchController | undefined;
    let calledOff: Ended['calledOff'] = null;

    const end = (): void => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abandon);
      resolve({ ...tapped, calledOff });
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
    signal?.addEventListener('abort', abandon, { once: true });

    try {
      pool.dispatch(
        { path: target, method, headers, body },
        {
          onRequestStart(controller) {
            given = controller;
            // It waited for a connection for so long that nobody wants it any more; nothing of it was written.
            if (calledOff !== null) controller.abort(new Error('called off'));
            else tapped.sent = 'something';
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
            tapped.answer = received.whole();
            end();
          },
          onResponseError(_controller, error) {
            tapped.error = error;
            end();
          },
        },
      );
    } catch (thrown) {
      tapped.error = thrown;
      end();
    }
  });
}
