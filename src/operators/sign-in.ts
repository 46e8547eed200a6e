import { hashPassword } from '../auth/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Held } from './authenticate.ts';
import { checkPassword } from './check-password.ts';
import type { PassedStage } from './commands.ts';
import { needsFactor } from './decide-caller.ts';
import { newSecret, SECRET, type OperatorDeps } from './deps.ts';
import { draftChange, draftSignIn, type Visit } from './draft-audit.ts';
import type { GuardTries } from './guard-tries.ts';
import type { StoredOperator } from './operator.ts';
import { HALF_SESSION_MS, SESSION_MS, WRONG_TRIES_MAX, type Session } from './session.ts';
import { stepOfCode } from '../factors/index.ts';

/** The cookie from now on. */
export interface Opened {
  readonly secret: string;
  readonly stage: Session['stage'];
  readonly expiresAtMs: number;
}
/** What a factor answered, once it is known to be right. */
export interface RightAnswer {
  readonly kind: 'totp' | 'passkey';
  readonly factorId: string;
  readonly counter: number;
}

const AGENT_MAX = 200;
const refused = fail(fault('operator.refused'));

/** How people of our own come in, stage by stage. The session's secret changes with every stage. */
export function makeSignIn(deps: OperatorDeps & { readonly guard: GuardTries }) {
  const { tenant, store, guard, policy, chance } = deps;

  /** What a right password leads to. */
  function afterPassword(operator: StoredOperator, madeAtMs: number, nowMs: number) {
    const stage: Session['stage'] =
      operator.factors.length > 0 ? 'factor' : needsFactor(policy, operator.roles) ? 'enrol' : 'signed-in';
    const most = madeAtMs + SESSION_MS;
    return {
      stage,
      factor: 'none' as const,
      // Where there is no second factor, the password is the strongest proof there is.
      provedAtMs: stage === 'factor' ? null : nowMs,
      expiresAtMs: stage === 'signed-in' ? most : Math.min(most, nowMs + HALF_SESSION_MS),
    };
  }

  const heldOf = ({ session, secret }: Held) => ({ tenant, id: session.id, secret });

  async function pass(held: Held, to: Omit<PassedStage, 'session' | 'newSecret'>): Promise<Result<Opened>> {
    const secret = newSecret(chance);
    const done = await store.write('operator.pass-stage', { session: heldOf(held), newSecret: secret, ...to });
    if (!done.ok) return done;
    if (done.value === 'not-found') return fail(fault('operator.unauthenticated'));
    return done.value === 'repeated' ? refused : ok({ secret, stage: to.stage, expiresAtMs: to.expiresAtMs });
  }

  async function wrong(visit: Visit, held: Held, why: string): Promise<Result<never>> {
    const audit = draftSignIn(deps, visit, held.operator, why, '8');
    const done = await store.write('operator.wrong-proof', { session: heldOf(held), most: WRONG_TRIES_MAX, audit });
    if (!done.ok) return done;
    return done.value === 'counted' ? refused : fail(fault('operator.unauthenticated'));
  }

  /** Null where the password is right. */
  async function checkOwn(visit: Visit, held: Held, password: string, why: string): Promise<Result<null>> {
    const { name, proof } = held.operator;
    if (proof.kind === 'provider') return fail(fault('operator.of-provider'));
    const isRight = await guard.password(visit, name, password, () => Promise.resolve(ok(proof.password)));
    if (!isRight.ok) return isRight;
    return isRight.value ? ok(null) : wrong(visit, held, why);
  }

  return {
    afterPassword,
    heldOf,
    async signIn(visit: Visit, given: { readonly name: string; readonly password: string }): Promise<Result<Opened>> {
      let known: StoredOperator | null = null;
      const isRight = await guard.password(visit, given.name, given.password, async () => {
        const found = await store.read('operator.by-name', { tenant, name: given.name });
        if (!found.ok) return found;
        known = found.value;
        return ok(known?.state === 'active' && known.proof.kind === 'password' ? known.proof.password : null);
      });
      if (!isRight.ok) return isRight;
      const operator = known as StoredOperator | null;
      if (!isRight.value || operator === null) {
        const why = operator === null ? 'unknown-name' : operator.state === 'active' ? 'wrong-password' : 'disabled';
        const audit = draftSignIn(deps, visit, operator, why, '8');
        const done = await store.write('operator.sign-in', { session: null, audit });
        return done.ok ? refused : done;
      }
      const nowMs = deps.now().getTime();
      const secret = newSecret(chance);
      const next = afterPassword(operator, nowMs, nowMs);
      const session = {
        id: deps.newId('ses'),
        operatorId: operator.id,
        secret,
        wrongTries: 0,
        madeAtMs: nowMs,
        seenAtMs: nowMs,
        agent: visit.agent.slice(0, AGENT_MAX),
        ...next,
      };
      const audit = draftSignIn(deps, visit, operator, 'password');
      const done = await store.write('operator.sign-in', { session, audit });
      if (!done.ok) return done;
      return done.value === 'refused' ? refused : ok({ secret, stage: next.stage, expiresAtMs: next.expiresAtMs });
    },

    /** The password again, where nobody was there for a while. Who has a second factor is asked for it next. */
    async unlock(visit: Visit, held: Held, password: string): Promise<Result<Opened>> {
      const own = await checkOwn(visit, held, password, 'unlock:wrong-password');
      if (!own.ok) return own;
      const next = afterPassword(held.operator, held.session.madeAtMs, deps.now().getTime());
      return pass(held, { ...next, used: null, audit: draftSignIn(deps, visit, held.operator, 'unlock') });
    },

    /** The second factor: it completes a sign-in, and is a second proof inside a session. */
    async prove(
      visit: Visit,
      held: Held,
      why: 'code' | 'passkey',
      look: () => Promise<RightAnswer | null>,
    ): Promise<Result<Opened>> {
      const { session, operator } = held;
      const answer = await guard.code(visit, operator.id, look);
      if (!answer.ok) return answer;
      if (answer.value === null) return wrong(visit, held, `wrong-${why}`);
      const { kind, factorId, counter } = answer.value;
      return pass(held, {
        stage: 'signed-in',
        factor: kind,
        provedAtMs: deps.now().getTime(),
        expiresAtMs: session.madeAtMs + SESSION_MS,
        used: { factorId, counter },
        audit: draftSignIn(deps, visit, operator, session.stage === 'signed-in' ? `proof:${why}` : why),
      });
    },

    /** Which of the person's authenticator apps shows this code now. */
    async lookAtCode({ operator }: Held, code: string): Promise<RightAnswer | null> {
      const factors = await store.read('operator.factors', { tenant, operatorId: operator.id });
      if (!factors.ok) return null;
      for (const factor of factors.value) {
        if (factor.kind !== 'totp') continue;
        const counter = await stepOfCode(factor.secret, code, deps.now().getTime());
        if (counter !== null) return { kind: 'totp', factorId: factor.id, counter };
      }
      return null;
    },

    /** A second proof by password: only of who has nothing stronger. */
    async proveByPassword(visit: Visit, held: Held, password: string): Promise<Result<Opened>> {
      const { session, operator } = held;
      if (operator.factors.length > 0) return wrong(visit, held, 'proof:factor-left-out');
      const own = await checkOwn(visit, held, password, 'proof:wrong-password');
      if (!own.ok) return own;
      return pass(held, {
        stage: session.stage,
        factor: session.factor,
        provedAtMs: deps.now().getTime(),
        expiresAtMs: session.expiresAtMs,
        used: null,
        audit: draftSignIn(deps, visit, operator, 'proof:password'),
      });
    },

    async changePassword(
      visit: Visit,
      held: Held,
      given: { readonly current: string; readonly password: string },
    ): Promise<Result<null>> {
      const own = await checkOwn(visit, held, given.current, 'change:wrong-password');
      if (!own.ok) return own;
      const { id, name, displayName, roles } = held.operator;
      const good = checkPassword(given.password, [name, displayName]);
      if (!good.ok) return good;
      const by = { kind: 'person', name, roles } as const;
      const done = await store.write('operator.set-password', {
        session: heldOf(held),
        password: await hashPassword(given.password),
        audit: draftChange(deps, visit.requestId, by, { action: 'U', why: 'operator-password', operatorId: id }),
      });
      if (!done.ok) return done;
      return done.value === 'set' ? ok(null) : fail(fault('operator.unauthenticated'));
    },

    /** Sets the password by a link that somebody was given. Who tries a weak one may try again. */
    async redeemLink(
      visit: Visit,
      given: { readonly link: string; readonly password: string },
    ): Promise<Result<{ readonly name: string }>> {
      const gone = fail(fault('operator.link'));
      if (!SECRET.test(given.link)) return gone;
      const found = await store.read('operator.link', { tenant, secret: given.link, atMs: deps.now().getTime() });
      if (!found.ok) return found;
      if (found.value === null) return gone;
      const { name, displayName } = found.value;
      const good = checkPassword(given.password, [name, displayName]);
      if (!good.ok) return good;
      const done = await store.write('operator.redeem-link', {
        secret: given.link,
        password: await hashPassword(given.password),
        audit: draftSignIn(deps, visit, null, 'link'),
      });
      if (!done.ok) return done;
      return done.value.state === 'set' ? ok({ name }) : gone;
    },
  };
}
export type SignIn = ReturnType<typeof makeSignIn>;
