import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { isIdle, type Caller } from './decide-caller.ts';
import type { OperatorDeps } from './deps.ts';
import { draftSignIn, type Visit } from './draft-audit.ts';
import type { Session } from './session.ts';

export type ListedSession = Omit<Session, 'stage'> & { readonly stage: Caller['stage'] };

/** Sessions as their owners and administrators look through them. */
export function makeSessions(deps: OperatorDeps) {
  const { tenant, store } = deps;
  return {
    /** One's own; everybody's for who may see operators. */
    async list(caller: Caller): Promise<Result<readonly ListedSession[]>> {
      const operatorId = caller.permissions.has('operators.read') ? null : caller.id;
      const nowMs = deps.now().getTime();
      const found = await store.read('operator.sessions', { tenant, operatorId, atMs: nowMs });
      if (!found.ok) return found;
      return ok(found.value.map((one) => ({ ...one, stage: isIdle(one, nowMs) ? 'locked' : one.stage })));
    },

    /** One's own, or anybody's for who may change operators. */
    async end(visit: Visit, caller: Caller, id: string): Promise<Result<null>> {
      const operatorId = caller.permissions.has('operators.change') ? null : caller.id;
      const audit = { ...draftSignIn(deps, visit, caller, 'end-session'), action: 'D', to: id } as const;
      const ended = await store.write('operator.end-session', { id, operatorId, audit });
      if (!ended.ok) return ended;
      return ended.value === 'ended' ? ok(null) : fail(fault('operator.session-not-found'));
    },

    factorsOf: (operatorId: string) => store.read('operator.factors', { tenant, operatorId }),
  };
}
export type Sessions = ReturnType<typeof makeSessions>;
