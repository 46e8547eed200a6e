import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { permissionsOfKey, type ApiKey } from './api-key.ts';
import type { StoredOperator } from './operator.ts';
import { PERMISSIONS, permissionsOf, ROLES, type Permission, type Role } from './permissions.ts';
import { IDLE_MS, PROOF_MS, type Session, type Stage } from './session.ts';

/** Of whom a second factor is asked. Who has one is always asked for it. */
export type FactorPolicy = 'administrators' | 'everybody' | 'nobody';

/** Who asks, and what they may. `locked`: nobody was at the browser for a while. */
export interface Caller {
  readonly kind: 'person' | 'key';
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: ReadonlySet<Permission>;
  /** When a person last proved who they are; always null for a key. */
  readonly provedAt: number | null;
  readonly stage: Stage | 'locked';
}

/** What was found under the secret that a request brought. */
export type Presented =
  | { readonly kind: 'session'; readonly session: Session; readonly operator: StoredOperator }
  | { readonly kind: 'key'; readonly key: ApiKey };

/** What stays on the screen of somebody who went away. */
const WHILE_LOCKED: ReadonlySet<Permission> = new Set<Permission>(['flow.read']);
const NONE: ReadonlySet<Permission> = new Set();

export const needsFactor = (policy: FactorPolicy, roles: readonly Role[]): boolean =>
  policy === 'everybody' || (policy === 'administrators' && roles.includes('administrator'));

export const isIdle = ({ seenAtMs }: Pick<Session, 'seenAtMs'>, nowMs: number): boolean => nowMs - seenAtMs >= IDLE_MS;

/** A role that was given meanwhile may ask for a factor that the session has not seen. */
function stageOf({ session, operator }: Presented & { kind: 'session' }, policy: FactorPolicy): Stage {
  if (session.stage !== 'signed-in' || session.factor !== 'none' || !needsFactor(policy, operator.roles))
    return session.stage;
  return operator.factors.length === 0 ? 'enrol' : 'factor';
}

/** Pure: who the request is from. A session or key that has ended is nobody's. */
export function decideCaller(presented: Presented, nowMs: number, policy: FactorPolicy): Result<Caller> {
  if (presented.kind === 'key') {
    const { key } = presented;
    if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) return fail(fault('operator.unauthenticated'));
    const { id, name, roles } = key;
    return ok({
      kind: 'key',
      id,
      name,
      roles,
      permissions: permissionsOfKey(key),
      provedAt: null,
      stage: 'signed-in',
    });
  }
  const { session, operator } = presented;
  if (operator.state !== 'active' || session.operatorId !== operator.id || nowMs >= session.expiresAtMs)
    return fail(fault('operator.unauthenticated'));
  const { id, name, roles } = operator;
  const person = { kind: 'person', id, name, roles } as const;
  const stage = stageOf(presented, policy);
  if (stage !== 'signed-in') return ok({ ...person, permissions: NONE, provedAt: null, stage });
  const all = permissionsOf(roles);
  if (isIdle(session, nowMs))
    return ok({
      ...person,
      permissions: new Set([...all].filter((one) => WHILE_LOCKED.has(one))),
      provedAt: null,
      stage: 'locked',
    });
  return ok({ ...person, permissions: all, provedAt: session.provedAtMs, stage });
}

/** The token of the settings: whoever has it may everything. */
export const STATIC_KEY: Caller = {
  kind: 'key',
  id: 'key_static',
  name: 'CHARTGATE_ADMIN_TOKEN',
  roles: ROLES,
  permissions: new Set(PERMISSIONS),
  provedAt: null,
  stage: 'signed-in',
};

/** A person who is wholly there, whatever they may do. */
export function checkPresent({ stage }: Caller): Result<null> {
  switch (stage) {
    case 'signed-in':
      return ok(null);
    case 'locked':
      return fail(fault('operator.locked'));
    case 'factor':
    case 'enrol':
      return fail(fault('operator.factor-needed', { at: stage }));
  }
}

export const isProved = ({ kind, provedAt }: Caller, nowMs: number): boolean =>
  kind === 'key' || (provedAt !== null && nowMs - provedAt < PROOF_MS);

/** Who gives roles and permissions to others. */
export interface Giver {
  readonly kind: Caller['kind'];
  readonly id: string;
  /** As the audit names them. */
  readonly name: string;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<string>;
}

/** Nobody hands on more than they may hand on: an administrator any role, a key only what it may itself. */
export function mayGive(
  caller: Pick<Giver, 'kind' | 'roles' | 'permissions'>,
  given: { readonly roles: readonly Role[]; readonly permissions: readonly Permission[] },
): boolean {
  if (caller.kind === 'person') return caller.roles.includes('administrator');
  return [...permissionsOf(given.roles), ...given.permissions].every((one) => caller.permissions.has(one));
}
