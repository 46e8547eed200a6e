import { ok, type Ask, type Result } from '../../kernel/index.ts';
import {
  cookieOf,
  csrfOf,
  IDLE_MS,
  noCookie,
  SESSION_COOKIE,
  visitOf,
  type ListedSession,
  type Opened,
  type Operators,
} from '../../operators/index.ts';
import { iso } from '../cursor.ts';
import { defineSessionRoute, type SessionRoute } from '../define-session-route.ts';
import { shownFactor } from './operators.ts';

const shownSession = (
  { id, operatorId, stage, agent, madeAtMs, seenAtMs, expiresAtMs }: ListedSession,
  sessionId: string,
) => ({
  id,
  operatorId,
  isThis: id === sessionId,
  stage,
  agent,
  madeAt: iso(madeAtMs),
  seenAt: iso(seenAtMs),
  expiresAt: iso(expiresAtMs),
});

/** The cookie from now on, and what the page needs beside it. */
const makeAnswerOpened =
  (now: () => Date) =>
  ({ setHeader }: Pick<Ask, 'setHeader'>, opened: Result<Opened>) => {
    if (!opened.ok) return opened;
    const { secret, stage, expiresAtMs } = opened.value;
    setHeader('Set-Cookie', cookieOf(SESSION_COOKIE, secret, expiresAtMs - now().getTime()));
    return ok({ stage, csrf: csrfOf(secret), expiresAt: iso(expiresAtMs) });
  };

/** How a person comes in, stays and leaves. */
export function makeSessionRoutes(
  deps: Pick<Operators, 'signIn' | 'factors' | 'sessions' | 'now'>,
): readonly SessionRoute[] {
  const { signIn, factors, sessions } = deps;
  const answerOpened = makeAnswerOpened(deps.now);
  return [
    defineSessionRoute('session.signIn', async ({ body }, _found, ask) =>
      answerOpened(ask, await signIn.signIn(visitOf(ask), body)),
    ),
    defineSessionRoute('session.get', async (_input, { caller, held }) => {
      const { kind, id, name, roles, permissions, stage } = caller;
      const who = { kind, id, name, roles, permissions: [...permissions], stage };
      if (held === null) return ok(who);
      const { session, operator, secret } = held;
      const added = await sessions.factorsOf(operator.id);
      if (!added.ok) return added;
      return ok({
        ...who,
        displayName: operator.displayName,
        sessionId: session.id,
        signsInBy: operator.proof.kind,
        csrf: csrfOf(secret),
        provedAt: caller.provedAt === null ? null : iso(caller.provedAt),
        locksAt: iso(session.seenAtMs + IDLE_MS),
        expiresAt: iso(session.expiresAtMs),
        // Before the second factor nobody learns more than which kinds there are.
        factors: added.value.map((factor) => (stage === 'signed-in' ? shownFactor(factor) : { kind: factor.kind })),
      });
    }),
    defineSessionRoute('session.signOut', async (_input, { caller, held }, ask) => {
      const { id } = held.session;
      const ended = await sessions.end(visitOf(ask), caller, id);
      if (!ended.ok) return ended;
      ask.setHeader('Set-Cookie', noCookie(SESSION_COOKIE));
      return ok({ id, state: 'ended' });
    }),
    defineSessionRoute('session.giveCode', async ({ body: { code } }, { held }, ask) =>
      answerOpened(ask, await signIn.prove(visitOf(ask), held, 'code', () => signIn.lookAtCode(held, code))),
    ),
    defineSessionRoute('session.askForPasskey', (_input, { held }) => factors.beginPasskey(held)),
    defineSessionRoute('session.givePasskey', async ({ body }, { held }, ask) =>
      answerOpened(ask, await factors.finishPasskey(visitOf(ask), held, body.response)),
    ),
    defineSessionRoute('session.unlock', async ({ body }, { held }, ask) =>
      answerOpened(ask, await signIn.unlock(visitOf(ask), held, body.password)),
    ),
    defineSessionRoute('session.prove', async ({ body: { password, code = '' } }, { held }, ask) => {
      const visit = visitOf(ask);
      return answerOpened(
        ask,
        password !== undefined
          ? await signIn.proveByPassword(visit, held, password)
          : await signIn.prove(visit, held, 'code', () => signIn.lookAtCode(held, code)),
      );
    }),
    defineSessionRoute('session.list', async (_input, { caller, held }) => {
      const found = await sessions.list(caller);
      return found.ok ? ok({ sessions: found.value.map((one) => shownSession(one, held.session.id)) }) : found;
    }),
    defineSessionRoute('session.end', async ({ params: { id } }, { caller }, ask) => {
      const ended = await sessions.end(visitOf(ask), caller, id);
      return ended.ok ? ok({ id, state: 'ended' }) : ended;
    }),
    defineSessionRoute('session.newTotp', (_input, { held }) => factors.beginTotp(held)),
    defineSessionRoute('session.addTotp', async ({ body: { code, label = 'Authenticator app' } }, { held }, ask) =>
      answerOpened(ask, await factors.finishTotp(visitOf(ask), held, code, label)),
    ),
    defineSessionRoute('session.newPasskey', (_input, { held }) => factors.beginNewPasskey(held)),
    defineSessionRoute('session.addPasskey', async ({ body: { response, label = 'Passkey' } }, { held }, ask) =>
      answerOpened(ask, await factors.finishNewPasskey(visitOf(ask), held, response, label)),
    ),
    defineSessionRoute('session.removeFactor', async ({ params: { id } }, { held }, ask) => {
      const removed = await factors.remove(visitOf(ask), held, id);
      return removed.ok ? ok({ state: 'done' }) : removed;
    }),
    defineSessionRoute('session.setPassword', async ({ body }, { held }, ask) => {
      const set = await signIn.changePassword(visitOf(ask), held, body);
      return set.ok ? ok({ state: 'done' }) : set;
    }),
    defineSessionRoute('session.redeemLink', ({ body }, _found, ask) => signIn.redeemLink(visitOf(ask), body)),
  ];
}
