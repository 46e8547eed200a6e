import type { Dispatcher } from 'undici';
import { receiveAnswer, type RawAnswer } from './receive-answer.ts';

/** What one exchange has come to, as seen on the wire. */
export interface Tapped {
  sent: 'nothing' | 'something';
  answer: RawAnswer | null;
  error: unknown;
}

/** What leaves, whatever the layers above make of it. */
export interface Leaving {
  readonly origin: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * A dispatcher for one request that stands below fetch. What leaves is `leaving`; what comes stays here, and fetch is
 * told an empty
 * 200. So no layer above prints, re-parses or throws what a server said, follows where it points, or repeats a request
 *      by itself (fetch does after 421).
 */
export function tapAnswer(
  pool: Dispatcher,
  leaving: Leaving,
): { readonly dispatcher: Dispatcher; readonly tapped: Tapped } {
  const tapped: Tapped = { sent: 'nothing', answer: null, error: null };
  const dispatcher = pool.compose((dispatch) => (options, handler) => {
    const received = receiveAnswer();
    if (String(options.origin) !== leaving.origin)
      throw new Error('a request for another origin reached the pool of the EHR');
    return dispatch(
      { ...options, path: leaving.target, headers: leaving.headers, body: leaving.body },
      {
        onRequestStart(controller, context) {
          // fetch may abort in here; what it then throws away was never written.
          handler.onRequestStart?.(controller, context);
          if (!controller.aborted) tapped.sent = 'something';
        },
        onResponseStart(controller, statusCode, given) {
          if (received.begin(statusCode, given)) handler.onResponseStart?.(controller, 200, {}, 'OK');
        },
        onResponseData(_controller, part) {
          received.add(part);
        },
        onResponseEnd(controller, trailers) {
          tapped.answer = received.whole();
          handler.onResponseEnd?.(controller, trailers);
        },
        onResponseError(controller, error) {
          tapped.error = error;
          handler.onResponseError?.(controller, error);
        },
      },
    );
  });
  return { dispatcher, tapped };
}
