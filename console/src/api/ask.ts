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
      /** By it the audit has the act; none where several requests made up the answer. */
      readonly requestId?: string | null;
      /** Of an answer of lines: where the next part begins. */
      readonly next?: string | null;
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

/** Asks what something of a restricted patient is wanted for; null where that is not said. */
type AskForReason = () => Promise<string | null>;
let askForReason: AskForReason = () => Promise.resolve(null);
export const onReasonNeeded = (ask: AskForReason): void => void (askForReason = ask);

/** Where the reader is; another page of the same list is the same place. */
function placeNow(): string {
  const params = new URLSearchParams(location.search);
  params.delete('cursor');
  return `${location.pathname}?${params.toString()}`;
}
/** What was said at this place, so that a screen of many questions asks once. It ends with the place. */
let said: { readonly place: string; readonly reason: Promise<string | null> } | null = null;
const saidHere = (): Promise<string | null> | null => (said?.place === placeNow() ? said.reason : null);
/** Whoever did not say why is asked again. */
export const askReasonAnew = (): void => void (said = null);

/** Told when somebody says why: whatever was refused for want of it can be asked anew. */
const listeners = new Set<() => void>();
export function onReasonSaid(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function reasonHere(): Promise<string | null> {
  const before = saidHere();
  if (before !== null) return before;
  const asked = askForReason();
  said = { place: placeNow(), reason: asked };
  const reason = await asked;
  if (reason !== null) for (const listener of listeners) listener();
  return reason;
}

const toSignIn = (): void => {
  const here = location.pathname + location.search;
  location.assign(`/operator/sign-in?to=${encodeURIComponent(here)}`);
};

const isSignedOut = (code: string | undefined): boolean =>
  code === 'operator.unauthenticated' || code === 'operator.locked';

/** The events of the stream; null where it was refused. Rejects where it is cut. */
export async function watchFlow(how: Parameters<typeof client.watch>[1]) {
  const watched = await client.watch('flow.stream', how);
  if (watched.kind === 'open') return watched.events;
  if (isSignedOut(watched.problem.code)) toSignIn();
  return null;
}

/**
 * Leads to the sign-in where the session has ended, and asks once for what the route wants: a second proof, or why
 * somebody looks at a restricted patient.
 */
export async function ask<Id extends CallId>(id: Id, call?: AskOf<Id>): Promise<Reply<ValueOf<Id>>> {
  let reason = call?.reason ?? (await saidHere());
  let isProofAsked = false;
  for (;;) {
    const given = reason === null ? call : ({ ...call, reason } as AskOf<Id>);
    const reply = await client
      .call(id, given)
      .catch((): AdminReply<Id> => ({ kind: 'refused', status: 0, problem: UNREACHABLE }));
    if (reply.kind === 'done') {
      const { value, requestId, next } = reply;
      return { kind: 'done', value, requestId, next };
    }
    const { code } = reply.problem;
    if (code === 'operator.proof-needed' && !isProofAsked) {
      isProofAsked = true;
      if (await askForProof()) continue;
    }
    if (code === 'admin.reason-needed' && reason === null) {
      reason = await reasonHere();
      if (reason !== null) continue;
    }
    if (isSignedOut(code)) toSignIn();
    return { kind: 'refused', refusal: refusalOf(reply.problem) };
  }
}
