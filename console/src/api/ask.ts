import { makeAdminClient, type AdminProblem, type AdminReply, type CallOf } from '../../../src/admin/client.ts';
import type { CallId, ContractOf } from '../../../src/admin/contract/index.ts';

import { ROUTE_TABLE } from './routes.ts';

/** What was refused or could not be asked, with a sentence for the reader. */
export interface Refusal {
  readonly code: string | null;
  readonly message: string;
  readonly problem: AdminProblem;
}
export type Reply<T> =
  | {
      readonly kind: 'done';
      readonly value: T;
      readonly requestId: string | null;
      /** Of an answer of lines: where the next part begins. */
      readonly next: string | null;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const UNREACHABLE: AdminProblem = { title: 'The gateway does not answer. Look whether it runs, then ask again.' };
const refusalOf = (problem: AdminProblem): Refusal => ({
  code: problem.code ?? null,
  message: [problem.title, problem.detail].filter((one) => one !== undefined).join(' '),
  problem,
});

export type ValueOf<Id extends CallId> = Extract<AdminReply<Id>, { kind: 'done' }>['value'];
export type AskOf<Id extends CallId> = CallOf<ContractOf<Id>>;

let csrf: string | null = null;
/** Of the session; it changes with every proof. */
export const rememberCsrf = (token: string | null): void => void (csrf = token);
export const csrfNow = (): string => csrf ?? '';

const client = makeAdminClient({
  url: location.origin,
  routes: ROUTE_TABLE,
  token: null,
  fetch: (input, init) => fetch(input, init),
  headers: () => (csrf === null ? {} : { 'x-chartgate-csrf': csrf }),
});

/** Asks for a second proof; answers whether it was given. */
type AskForProof = () => Promise<boolean>;
let askForProof: AskForProof = () => Promise.resolve(false);
export const onProofNeeded = (ask: AskForProof): void => void (askForProof = ask);

const toSignIn = (): void => {
  const here = location.pathname + location.search;
  location.assign(`/operator/sign-in?to=${encodeURIComponent(here)}`);
};

/** Leads to the sign-in where the session has ended, and asks for a second proof once where the route wants one. */
export async function ask<Id extends CallId>(id: Id, call?: AskOf<Id>): Promise<Reply<ValueOf<Id>>> {
  for (let tries = 0; ; tries += 1) {
    const reply = await client
      .call(id, call)
      .catch((): AdminReply<Id> => ({ kind: 'refused', status: 0, problem: UNREACHABLE }));
    if (reply.kind === 'done') {
      const { value, requestId, next } = reply;
      return { kind: 'done', value, requestId, next };
    }
    const { code } = reply.problem;
    if (code === 'operator.proof-needed' && tries === 0 && (await askForProof())) continue;
    if (code === 'operator.unauthenticated' || code === 'operator.locked') toSignIn();
    return { kind: 'refused', refusal: refusalOf(reply.problem) };
  }
}
