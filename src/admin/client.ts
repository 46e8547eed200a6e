import type { z } from 'zod';
import { REASON_HEADER, type AnswerOf, type Contract, type EventOf } from './contract/define-contract.ts';
import type { CallId, ContractOf, RouteId, StreamId } from './contract/index.ts';
import { toReasonHeader } from './reason-header.ts';
import type { RouteLine, RouteTable } from './route-table.ts';
import { readEvents } from './stream/read-events.ts';

/** What was asked wrongly or could not be done: RFC 9457, as docs/faults.md lists the codes. */
export interface AdminProblem {
  readonly title?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly at?: string;
  readonly problems?: readonly string[];
  readonly count?: number;
}

interface Refused {
  readonly kind: 'refused';
  readonly status: number;
  readonly problem: AdminProblem;
}

export type AdminReply<Id extends RouteId> =
  | {
      readonly kind: 'done';
      readonly status: number;
      readonly value: AnswerOf<ContractOf<Id>>;
      /** Of an answer of lines: where the next part begins. */
      readonly next: string | null;
      /** By which the audit finds what was asked and done. */
      readonly requestId: string | null;
    }
  | Refused;

/** The events of a stream, until either side ends it; rejects where it is cut. */
export type Watched<Id extends StreamId> =
  { readonly kind: 'open'; readonly events: AsyncIterable<EventOf<ContractOf<Id>>> } | Refused;

type Either<A, B> = { readonly [K in keyof A]: A[K] | (K extends keyof B ? B[K] : never) };
/** As it is written, or as it is meant: `limit: 5` as well as `limit: '5'`. */
type Given<S> = S extends z.ZodType ? Either<z.input<S>, z.output<S>> : unknown;
/** May be left out where nothing of it is required. */
type OrNone<K extends string, T> = Partial<T> extends T ? { readonly [N in K]?: T } : { readonly [N in K]: T };

/** What a route asks for: of path and query as the contract has them; a body as JSON, or bytes with their type. */
export type CallOf<C extends Contract> = (C['reason'] extends 'needed'
  ? { readonly reason: string }
  : { readonly reason?: string }) &
  OrNone<'params', Given<C['params']>> &
  OrNone<'query', Given<C['query']>> &
  (C['body'] extends { readonly kind: 'json'; readonly schema: infer S }
    ? OrNone<'body', S extends z.ZodType ? z.input<S> : never>
    : C['body'] extends { readonly kind: 'bytes'; readonly types: readonly (infer T)[] }
      ? { readonly bytes: { readonly type: T; readonly content: string | Uint8Array<ArrayBuffer> } }
      : unknown);

export interface AdminClient {
  /** Rejects where nobody answers, or not as a gateway does. */
  call<Id extends CallId>(id: Id, ask?: CallOf<ContractOf<Id>>): Promise<AdminReply<Id>>;
  watch<Id extends StreamId>(id: Id, how?: WatchHow): Promise<Watched<Id>>;
}

interface WatchHow {
  /** The id of the last event that was read, to go on from there. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal;
  /** Called with every piece that comes, a heartbeat too: a stream that is silent for long was cut. */
  readonly onHeard?: () => void;
}

interface Call {
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly bytes?: { readonly type: string; readonly content: string | Uint8Array<ArrayBuffer> };
}

function addressOf(base: string, { path }: RouteLine, { params = {}, query = {} }: Call): URL {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(filled.slice(1), base.endsWith('/') ? base : `${base}/`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function bodyOf({ body, bytes }: Call): {
  headers: Record<string, string>;
  body?: Exclude<RequestInit['body'], null | undefined>;
} {
  if (bytes !== undefined) return { headers: { 'content-type': bytes.type }, body: bytes.content };
  return body === undefined
    ? { headers: {} }
    : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function read({ answers }: RouteLine, given: Response, parse: (text: string) => unknown): Promise<unknown> {
  if (answers === 'json') return parse(await given.text());
  return answers === 'lines' ? given.text() : new Uint8Array(await given.arrayBuffer());
}

/**
 * The admin API of a gateway, typed by its contracts. It needs nothing but `fetch` and the table of routes: a browser
 * can use it without loading the contracts.
 */
export function makeAdminClient(deps: {
  readonly url: string;
  readonly routes: RouteTable;
  /** Null where a session of the browser says who asks. */
  readonly token: string | null;
  readonly fetch: typeof fetch;
  /** What goes with every request, such as the token that proves a page of our own. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** How JSON is read; `JSON.parse`, where nothing else is given. */
  readonly parse?: (text: string) => unknown;
}): AdminClient {
  const parse = deps.parse ?? ((text: string): unknown => JSON.parse(text));
  const authorization: Record<string, string> = deps.token === null ? {} : { authorization: `Bearer ${deps.token}` };
  return {
    async call<Id extends CallId>(id: Id, ask?: CallOf<ContractOf<Id>>): Promise<AdminReply<Id>> {
      const route = deps.routes[id];
      const call = (ask ?? {}) as Call;
      const { headers, ...rest } = bodyOf(call);
      const answer = await deps.fetch(addressOf(deps.url, route, call), {
        method: route.method.toUpperCase(),
        redirect: 'error',
        headers: {
          ...authorization,
          ...deps.headers?.(),
          ...headers,
          ...(call.reason === undefined ? {} : { [REASON_HEADER]: toReasonHeader(call.reason) }),
        },
        ...rest,
      });
      const { status } = answer;
      if (!answer.ok) return { kind: 'refused', status, problem: parse(await answer.text()) as AdminProblem };
      const value = (await read(route, answer, parse)) as AnswerOf<ContractOf<Id>>;
      const requestId = answer.headers.get('x-request-id');
      return { kind: 'done', status, value, next: answer.headers.get('next-cursor'), requestId };
    },
    async watch<Id extends StreamId>(
      id: Id,
      { after, signal, onHeard = () => undefined }: WatchHow = {},
    ): Promise<Watched<Id>> {
      const answer = await deps.fetch(addressOf(deps.url, deps.routes[id], {}), {
        redirect: 'error',
        headers: {
          ...authorization,
          accept: 'text/event-stream',
          ...(after === undefined ? {} : { 'last-event-id': after }),
        },
        ...(signal === undefined ? {} : { signal }),
      });
      const { status, body } = answer;
      if (!answer.ok) return { kind: 'refused', status, problem: parse(await answer.text()) as AdminProblem };
      if (body === null) throw new Error('a stream without a body');
      return { kind: 'open', events: readEvents(body, parse, onHeard) as AsyncIterable<EventOf<ContractOf<Id>>> };
    },
  };
}
