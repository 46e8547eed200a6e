import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './fault.ts';
import type { RequestId } from './id.ts';
import type { Log } from './log.ts';
import type { Result } from './result.ts';
import type { Span } from './span.ts';

/**
 * Who asks the admin API, as whoever authenticated it knows them. `key`: a machine with a key of its own; `person`:
 * somebody who signed in.
 */
export interface AdminCaller {
  readonly kind: 'key' | 'person';
  /** Stays the same whatever they are called. */
  readonly id: string;
  /** As the audit names them. */
  readonly name: string;
  readonly roles: readonly string[];
  /** A route asks for one of them. */
  readonly permissions: ReadonlySet<string>;
  /**
   * A person has shown a second factor within the last minutes; of a key always true, which has explicit permissions.
   */
  readonly isProved: boolean;
  /** Why nothing more is permitted: the session is locked, or its second factor is still to come. */
  readonly absent: Fault | null;
}

/** What a handler is asked. The body is unread: who needs it reads it from `request` within the limits of its route. */
export interface Ask {
  readonly request: IncomingMessage;
  /** The parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: RequestId;
  /** Of a route whose access is `admin`, where it is always there. */
  readonly caller?: AdminCaller;
  /** Asks anew, with the same credentials, whether the caller may this. It is no sign of somebody at the browser. */
  readonly stillMay?: () => Promise<Result<unknown>>;
  /** Of the caller's `traceparent`; absent where it sent none. */
  readonly traceId?: string;
  /** Of this request; absent where nobody watches it. */
  readonly span?: Span;
  readonly log: Log;
  /** Whom the trusted proxies in front speak for; where there are none, who connected. */
  readonly remoteAddress: () => string;
  /** Puts a header on whatever is answered, a fault too. */
  readonly setHeader: (name: string, value: string) => void;
}

/** Where an answer goes on that does not end with its body. */
export interface Outlet {
  /** `behind`: the reader takes less than it is sent, and what it has not taken waits in memory. */
  write(text: string | Uint8Array): 'taken' | 'behind';
  /** Resolves once the reader has taken most of what it was sent, or has gone. */
  drained(): Promise<void>;
  end(): void;
  /** Ends it in the middle, so that the reader knows that something is missing. */
  cut(): void;
  /** Called once, when nobody reads any longer, whoever ended it. */
  onClose(listener: () => void): void;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Of a body that is a text with a character for each of its bytes. */
  readonly encoding?: 'latin1';
  /** What comes after the body, until either side ends it. Not called for HEAD. */
  readonly follow?: (outlet: Outlet) => void;
}

interface AnyRoute {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';
  readonly path: string;
  readonly handle: (ask: Ask) => Result<Answer> | Promise<Result<Answer>>;
}

/** `proof`: a person must have shown a second factor lately. */
export interface AdminAccess {
  readonly access: 'admin';
  readonly permission: string;
  readonly proof?: 'second';
}

/**
 * One line of the table that is the whole surface. `path` is a path of words, of parameters (`:id`), and of
 * whatever follows (`/{*path}`); it is the route's name in logs and metrics.
 * A fault that comes back is answered as its table says, in the form that the path asks for.
 *
 * `open`: no credential. `source`: the route asks for the sender's own. `smart`: the route asks for an app's token.
 * `operator`: the route asks for an operator's own session. `ops`: the watcher's token, where one is configured.
 * `admin`: a caller who may what `permission` names, asked for before the route.
 */
export type Route = AnyRoute & ({ readonly access: 'open' | 'source' | 'smart' | 'operator' | 'ops' } | AdminAccess);

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
