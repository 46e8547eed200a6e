import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestId } from './id.ts';
import type { Log } from './log.ts';
import type { Result } from './result.ts';

/** What a handler is asked. The body is unread: who needs it reads it from `request` within the limits of its route. */
export interface Ask {
  readonly request: IncomingMessage;
  /** The parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: RequestId;
  /** Of the caller's `traceparent`; absent where it sent none. */
  readonly traceId?: string;
  readonly log: Log;
  /** Puts a header on whatever is answered, a fault too. */
  readonly setHeader: (name: string, value: string) => void;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * One line of the table that is the whole surface. `path` is an Express path, and the route's name in logs and metrics.
 * A fault that comes back is answered as its table says, in the form that the path asks for.
 */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete' | 'options';
  readonly path: string;
  /**
   * `open`: no credential. `source`: the route asks for the sender's own. `smart`: the route asks for an app's token.
   * `admin`: an operator's session or key, asked for before the route. `operator`: the route asks for it itself. `ops`:
   * the watcher's token, where one is configured.
   */
  readonly access: 'open' | 'source' | 'smart' | 'admin' | 'operator' | 'ops';
  readonly handle: (ask: Ask) => Result<Answer> | Promise<Result<Answer>>;
}

/** A part of the surface that answers for itself: everything below `path`, such as an authorization server. */
export interface Mount {
  readonly path: string;
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    asked: Pick<Ask, 'requestId' | 'log'>,
  ) => Promise<void>;
}

export const jsonAnswer = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
});
