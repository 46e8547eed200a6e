import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { fault, isError, type Answer, type Fault, type Log, type RequestId, type Span } from '../kernel/index.ts';
import { answerOf } from './answer-fault.ts';
import { outletOf } from './follow.ts';
import { putHeader, type Head } from './head.ts';

/** A request under way. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** As it came: a mount is shown what is below it. */
  readonly target: string;
  readonly requestId: RequestId;
  /** The caller's; null where it has none. */
  readonly traceId: string | null;
  /** Null where nobody watches. */
  readonly span: Span | null;
  readonly log: Log;
  readonly fromMs: number;
  /** On whatever is answered. */
  readonly head: Head;
  /** The path of the route or the mount that answers. */
  route: string;
  /** The answer goes on until somebody ends it: whoever goes away got all of it that there was. */
  isFollowed: boolean;
  /** Why the request was refused, for its one line in the log. */
  fault: Fault | null;
}

const EXPRESS_STATUS: Readonly<Record<number, Fault['code']>> = {
  400: 'http.malformed',
  404: 'http.not-found',
  413: 'http.too-large',
  415: 'http.encoding',
};

/** Express and its parsers throw errors that carry a 4xx status; anything else that is thrown is a bug. */
function toFault(thrown: unknown): Fault {
  // Theirs say whether they may be shown; an error that merely has a status, such as an upstream's, is a bug of ours.
  const isTheirs = isError(thrown) && (thrown.name === 'URIError' || 'expose' in thrown);
  const status = isTheirs && 'status' in thrown && typeof thrown.status === 'number' ? thrown.status : 500;
  return fault(EXPRESS_STATUS[status] ?? 'internal.bug', { cause: thrown });
}

const LINGER_MS = 500;

/**
 * Whoever is refused before its body was read is not listened to any longer: the answer goes out, then the connection.
 */
function letGo({ req, res, head }: Exchange): void {
  putHeader(head, 'Connection', 'close');
  res.once('finish', () => setTimeout(() => req.socket.destroy(), LINGER_MS).unref());
}

export function send({ req, res, head }: Exchange, { status, headers = {}, body, encoding, follow }: Answer): void {
  // A copy: what cannot be sent must not stand in the way of the answer that says so.
  const all = [...head];
  for (const name of Object.keys(headers)) putHeader(all, name, headers[name] ?? '');
  const hasBody = req.method !== 'HEAD' && status !== 204 && status !== 304;
  const goesOn = hasBody && follow !== undefined;
  if (hasBody && !goesOn)
    putHeader(all, 'Content-Length', String(encoding === undefined ? Buffer.byteLength(body) : body.length));
  // Its words are said too, since those of an answer that could not be sent would stay.
  res.writeHead(status, STATUS_CODES[status], all);
  if (goesOn) {
    res.flushHeaders();
    res.write(body);
    follow(outletOf(res));
  } else res.end(body, encoding ?? 'utf8');
}

export function refuse(exchange: Exchange, why: Fault): void {
  const { req, res, target, requestId, head } = exchange;
  exchange.fault = why;
  if (res.headersSent) return;
  if (!req.complete) letGo(exchange);
  send(exchange, answerOf(why, { target, authorization: req.headers.authorization, requestId }, head));
}

export function refuseThrown(exchange: Exchange, thrown: unknown): void {
  if (exchange.res.headersSent) exchange.res.destroy();
  refuse(exchange, toFault(thrown));
}
