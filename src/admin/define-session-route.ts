import type { Ask, Result, Route } from '../kernel/index.ts';
import type { Admit, Admitted, Presence } from '../operators/index.ts';
import { checkInput } from './check-input.ts';
import type { AnswerOf, Contract, InputOf } from './contract/define-contract.ts';
import { CONTRACTS, type ContractOf, type RouteId } from './contract/index.ts';
import { answerRoute } from './serve.ts';

/** Routes by which people come in, stay and leave. */
export type SessionRouteId = {
  [Id in RouteId]: ContractOf<Id>['permission'] extends null ? Id : never;
}[RouteId];
type PresenceOf<C> = C extends { readonly presence: infer P extends Presence } ? P : never;

type HandleSession<C extends Contract> = (
  input: InputOf<C>,
  found: Admitted<PresenceOf<C>>,
  ask: Ask,
) => Promise<Result<AnswerOf<C>>>;

export interface SessionRoute {
  readonly contract: Extract<Contract, { readonly permission: null }>;
  readonly handle: (input: never, found: never, ask: Ask) => Promise<Result<unknown>>;
}

/** A route of one's own session: the contract of this id, and who carries it out for whom it let in. */
export const defineSessionRoute = <Id extends SessionRouteId>(
  id: Id,
  handle: HandleSession<ContractOf<Id>>,
): SessionRoute => ({ contract: CONTRACTS[id], handle });

/** Who asks is found out before anything of the request is read. */
export function serveSessionRoute({ contract, handle }: SessionRoute, admit: Admit): Route {
  const { method, path, presence } = contract;
  return {
    method,
    path,
    access: 'operator',
    handle: async (ask) => {
      const found = await admit(presence, ask.request);
      if (!found.ok) return found;
      const input = await checkInput(contract, ask);
      if (!input.ok) return input;
      return answerRoute(contract, await handle(input.value as never, found.value as never, ask));
    },
  };
}
