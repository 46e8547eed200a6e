import { hashAddress, type AuditDraft } from '../audit/index.ts';
import type { Giver } from './decide-caller.ts';
import type { OperatorDeps } from './deps.ts';
import type { Operator } from './operator.ts';

/** Where a request came from. */
export interface Visit {
  readonly requestId: string;
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string;
}

type Who = Pick<Operator, 'id' | 'name' | 'roles'>;

/**
 * What a person does to come in: always `operator.sign-in`, with `why` for the step. The id of the account goes with the name,
 * which somebody else may have later.
 */
export const draftSignIn = (
  { tenant, pseudonymKey, now }: Pick<OperatorDeps, 'tenant' | 'pseudonymKey' | 'now'>,
  { requestId, address }: Visit,
  who: Who | null,
  why: string,
  outcome: AuditDraft['outcome'] = '0',
): AuditDraft => ({
  at: now(),
  type: 'operator.sign-in',
  tenant,
  requestId,
  action: 'E',
  outcome,
  why,
  addressHash: hashAddress(pseudonymKey, address),
  ...(who === null ? {} : { actor: who.name, roles: who.roles, operatorId: who.id }),
});

/** What an operator changes of operators and keys. */
export const draftChange = (
  { tenant, now }: Pick<OperatorDeps, 'tenant' | 'now'>,
  requestId: string,
  by: Pick<Giver, 'kind' | 'name' | 'roles'>,
  change: Pick<AuditDraft, 'action' | 'why' | 'operatorId' | 'to'>,
): AuditDraft => ({
  at: now(),
  type: 'admin',
  tenant,
  requestId,
  actor: by.name,
  // What a key may is not told by its roles.
  ...(by.kind === 'person' ? { roles: by.roles } : {}),
  outcome: '0',
  ...change,
});
