import type { IncomingMessage, ServerResponse } from 'node:http';
import type { default as Provider } from 'oidc-provider';
import type { Clock, RequestId } from '../kernel/index.ts';

/** What the authorization server knows of the request that a page is shown for. */
export type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** A person at one of the pages. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Null: the page is only looked at. */
  readonly form: URLSearchParams | null;
  readonly requestId: RequestId;
  readonly remoteAddress: string;
}

/** What a form or a parameter says, as text; empty where it says nothing. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keeps what was changed of the request, until it ends as it would have. */
export const saveDetails = (details: Details, clock: Clock): Promise<unknown> =>
  details.save(details.exp - Math.floor(clock.now().getTime() / 1000));
