import type { IncomingMessage } from 'node:http';
import type { Actor } from '../audit/index.ts';
import type { AdminCaller, Log, Outlet, RequestId, Result } from '../kernel/index.ts';
import type { AnswerOf, Contract, InputOf } from './contract/define-contract.ts';
import { CONTRACTS, type ContractOf, type RouteId } from './contract/index.ts';
import type { Act, Patient } from './record-act.ts';

export interface LinesAnswer {
  readonly type: string;
  readonly text: string;
  readonly next: string | null;
}

export interface BytesAnswer {
  readonly bytes: Uint8Array;
  /** Under which name a browser saves it. */
  readonly fileName: string;
}

/** An answer that goes on: what is written to the outlet are events. */
export interface EventsAnswer {
  readonly follow: (outlet: Outlet) => void;
}

/** What a handler has beside its input. */
export interface AdminContext {
  readonly caller: AdminCaller;
  /** Why the caller wants it; null where they did not say. It is recorded with whatever is. */
  readonly reason: string | null;
  readonly requestId: RequestId;
  readonly log: Log;
  /** Unread, where the contract's body is `bytes`. */
  readonly request: IncomingMessage;
  /** Whether the caller may this still, asked anew; for what goes on for long. */
  readonly stillMay: () => Promise<Result<unknown>>;
  /** As commands that record by themselves want it. */
  readonly actor: Actor & { readonly requestId: RequestId };
  /** Those of these patients whom the caller is not shown without saying why: a list may leave them out. */
  readonly withheld: (patients: readonly Patient[]) => Promise<Result<readonly Patient[]>>;
  /**
   * Puts the act into the audit under the name that the contract has; `why` chooses where it has several. Asked before
   * the answer: who saw what is recorded, or nothing is shown. A look at a patient who is restricted, without a reason,
   * is recorded as refused and gives `admin.reason-needed`.
   */
  readonly record: (act: Omit<Act, 'why' | 'reason'> & { readonly why?: string }) => Promise<Result<null>>;
}

type HandlerAnswer<C extends Contract> = C['answer'] extends { readonly kind: 'lines' }
  ? LinesAnswer
  : C['answer'] extends { readonly kind: 'bytes' }
    ? BytesAnswer
    : C['answer'] extends { readonly kind: 'events' }
      ? EventsAnswer
      : AnswerOf<C>;
export type Handle<C extends Contract> = (
  input: InputOf<C>,
  context: AdminContext,
) => Result<HandlerAnswer<C>> | Promise<Result<HandlerAnswer<C>>>;

type PermittedContract = Extract<Contract, { readonly permission: string }>;
type PermittedRouteId = { [Id in RouteId]: ContractOf<Id>['permission'] extends null ? never : Id }[RouteId];

export interface AdminRoute {
  readonly contract: PermittedContract;
  readonly handle: (input: never, context: AdminContext) => Result<unknown> | Promise<Result<unknown>>;
}

/** A route of the admin API: the contract of this id, and who carries it out. */
export const defineRoute = <Id extends PermittedRouteId>(id: Id, handle: Handle<ContractOf<Id>>): AdminRoute => ({
  contract: CONTRACTS[id],
  handle,
});
