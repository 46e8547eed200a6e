import type { IncomingMessage } from 'node:http';
import { fail, fault, jsonAnswer, ok, type Answer, type Ask, type Result, type Route } from '../kernel/index.ts';
import type { Authenticated, Held, Identify } from './authenticate.ts';
import { checkSameOrigin, csrfOf } from './check-csrf.ts';
import { cookieOf, noCookie, SESSION_COOKIE } from './cookie.ts';
import { checkPresent } from './decide-caller.ts';
import type { OperatorDeps } from './deps.ts';
import { draftSignIn, type Visit } from './draft-audit.ts';
import type { Factors } from './factors.ts';
import { PASSWORD_LENGTH } from './check-password.ts';
import { anObject, checkNoQuery, matching, optional, readFields, text } from './read-fields.ts';
import { IDLE_MS, type Session } from './session.ts';
import type { Opened, SignIn } from './sign-in.ts';
import { CODE } from './totp.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const PASSWORD = text(PASSWORD_LENGTH.most);
const LABEL = optional(text(60));
const SIX_DIGITS = matching(CODE, 'the six digits that the app shows');

/** Express knows whom the proxy in front speaks for. */
const addressOf = (request: IncomingMessage & { readonly ip?: string | undefined }): string =>
  request.ip ?? request.socket.remoteAddress ?? '';
export const visitOf = ({ request, requestId }: Ask): Visit => ({
  requestId,
  address: addressOf(request),
  agent: request.headers['user-agent'] ?? '',
});

/** How a person comes in, stays and leaves. */
export function makeSessionRoutes(
  deps: OperatorDeps & {
    readonly identify: Identify;
    readonly signIn: SignIn;
    readonly factors: Factors;
  },
): Route[] {
  const { tenant, store, identify, signIn, factors } = deps;
  const nowMs = (): number => deps.now().getTime();

  const route = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
    method,
    path: `/admin/api/session${path}`,
    access: 'operator',
    async handle(ask) {
      const query = checkNoQuery(ask.request);
      return query.ok ? handle(ask) : query;
    },
  });
  /** What a session alone can ask, in any stage; a key has none of it. */
  const inSession = (
    method: Route['method'],
    path: string,
    handle: (ask: Ask, held: Held, found: Authenticated) => Promise<Result<Answer>>,
  ): Route =>
    route(method, path, async (ask) => {
      const found = await identify(ask.request);
      if (!found.ok) return found;
      return found.value.held === null
        ? fail(fault('operator.forbidden', { at: 'session' }))
        : handle(ask, found.value.held, found.value);
    });
  /** And what asks for a person who is wholly there. */
  const present = (
    method: Route['method'],
    path: string,
    handle: (ask: Ask, held: Held, found: Authenticated) => Promise<Result<Answer>>,
  ): Route =>
    inSession(method, path, async (ask, held, found) => {
      const there = checkPresent(found.caller);
      return there.ok ? handle(ask, held, found) : there;
    });
  /** Adding a factor is what an unfinished sign-in may do beside giving one. */
  const toEnrol = (path: string, handle: (ask: Ask, held: Held) => Promise<Result<Answer>>): Route =>
    inSession('post', path, async (ask, held, found) => {
      const there = checkPresent(found.caller);
      return there.ok || found.caller.stage === 'enrol' ? handle(ask, held) : there;
    });
  /** Behind a lock the password comes first. */
  const toProve = (path: string, handle: (ask: Ask, held: Held) => Promise<Result<Answer>>): Route =>
    inSession('post', path, async (ask, held, { caller }) =>
      caller.stage === 'locked' ? fail(fault('operator.locked')) : handle(ask, held),
    );

  function answerOpened(ask: Ask, opened: Result<Opened>): Result<Answer> {
    if (!opened.ok) return opened;
    const { secret, stage, expiresAtMs } = opened.value;
    ask.setHeader('Set-Cookie', cookieOf(SESSION_COOKIE, secret, expiresAtMs - nowMs()));
    return ok(jsonAnswer(200, { stage, csrf: csrfOf(secret), expiresAt: iso(expiresAtMs) }));
  }
  const done = (result: Result<unknown>): Result<Answer> =>
    result.ok ? ok(jsonAnswer(200, { state: 'done' })) : result;

  async function listed({ caller, held }: Authenticated): Promise<Result<Answer>> {
    const everybody = caller.permissions.has('operators.read');
    const operatorId = everybody ? null : caller.id;
    const found = await store.read('operator.sessions', { tenant, operatorId, atMs: nowMs() });
    if (!found.ok) return found;
    const shown = ({ id, operatorId: whose, stage, agent, madeAtMs, seenAtMs, expiresAtMs }: Session) => ({
      id,
      operatorId: whose,
      isThis: id === held?.session.id,
      stage: nowMs() - seenAtMs >= IDLE_MS ? 'locked' : stage,
      agent,
      madeAt: iso(madeAtMs),
      seenAt: iso(seenAtMs),
      expiresAt: iso(expiresAtMs),
    });
    return ok(jsonAnswer(200, { sessions: found.value.map(shown) }));
  }

  async function end(ask: Ask, { caller }: Authenticated, id: string): Promise<Result<Answer>> {
    const operatorId = caller.permissions.has('operators.change') ? null : caller.id;
    const audit = { ...draftSignIn(deps, visitOf(ask), caller, 'end-session'), action: 'D', to: id } as const;
    const ended = await store.write('operator.end-session', { id, operatorId, audit });
    if (!ended.ok) return ended;
    return ended.value === 'ended'
      ? ok(jsonAnswer(200, { id, state: 'ended' }))
      : fail(fault('operator.session-not-found'));
  }

  return [
    route('post', '', async (ask) => {
      const same = checkSameOrigin(ask.request, deps.publicUrl);
      if (!same.ok) return same;
      const given = await readFields(ask.request, { name: text(100), password: PASSWORD });
      return given.ok ? answerOpened(ask, await signIn.signIn(visitOf(ask), given.value)) : given;
    }),
    route('get', '', async (ask) => {
      const found = await identify(ask.request);
      if (!found.ok) return found;
      const { caller, held } = found.value;
      const { kind, id, name, roles, permissions, stage } = caller;
      const who = { kind, id, name, roles, permissions: [...permissions], stage };
      if (held === null) return ok(jsonAnswer(200, who));
      const { session, operator, secret } = held;
      const added = await store.read('operator.factors', { tenant, operatorId: operator.id });
      if (!added.ok) return added;
      return ok(
        jsonAnswer(200, {
          ...who,
          displayName: operator.displayName,
          sessionId: session.id,
          signsInBy: operator.proof.kind,
          csrf: csrfOf(secret),
          provedAt: caller.provedAt === null ? null : iso(caller.provedAt),
          locksAt: iso(session.seenAtMs + IDLE_MS),
          expiresAt: iso(session.expiresAtMs),
          // Before the second factor nobody learns more than which kinds there are.
          factors: added.value.map(({ id: factorId, kind: of, label, madeAtMs, usedAtMs }) =>
            stage === 'signed-in'
              ? {
                  id: factorId,
                  kind: of,
                  label,
                  madeAt: iso(madeAtMs),
                  usedAt: usedAtMs === null ? null : iso(usedAtMs),
                }
              : { kind: of },
          ),
        }),
      );
    }),
    inSession('delete', '', async (ask, held, found) => {
      const ended = await end(ask, found, held.session.id);
      if (ended.ok) ask.setHeader('Set-Cookie', noCookie(SESSION_COOKIE));
      return ended;
    }),
    toProve('/code', async (ask, held) => {
      const given = await readFields(ask.request, { code: SIX_DIGITS });
      if (!given.ok) return given;
      const { code } = given.value;
      return answerOpened(ask, await signIn.prove(visitOf(ask), held, 'code', () => signIn.lookAtCode(held, code)));
    }),
    toProve('/passkey', async (_ask, held) => {
      const options = await factors.beginPasskey(held);
      return options.ok ? ok(jsonAnswer(200, options.value)) : options;
    }),
    toProve('/passkey/finish', async (ask, held) => {
      const given = await readFields(ask.request, { response: anObject });
      return given.ok
        ? answerOpened(ask, await factors.finishPasskey(visitOf(ask), held, given.value.response))
        : given;
    }),
    inSession('post', '/unlock', async (ask, held) => {
      const given = await readFields(ask.request, { password: PASSWORD });
      return given.ok ? answerOpened(ask, await signIn.unlock(visitOf(ask), held, given.value.password)) : given;
    }),
    toProve('/proof', async (ask, held) => {
      const given = await readFields(ask.request, { password: optional(PASSWORD), code: optional(SIX_DIGITS) });
      if (!given.ok) return given;
      const { password, code } = given.value;
      if ((password === undefined) === (code === undefined))
        return fail(
          fault('admin.parameter', { at: '', detail: 'The body must be one JSON object with code or password.' }),
        );
      const visit = visitOf(ask);
      return answerOpened(
        ask,
        password !== undefined
          ? await signIn.proveByPassword(visit, held, password)
          : await signIn.prove(visit, held, 'code', () => signIn.lookAtCode(held, code ?? '')),
      );
    }),
    present('get', '/all', (_ask, _held, found) => listed(found)),
    present('delete', '/all/:id', (ask, _held, found) => end(ask, found, ask.params['id'] ?? '')),
    toEnrol('/factors/totp', async (_ask, held) => {
      const begun = await factors.beginTotp(held);
      return begun.ok ? ok(jsonAnswer(200, begun.value)) : begun;
    }),
    toEnrol('/factors/totp/finish', async (ask, held) => {
      const given = await readFields(ask.request, { code: SIX_DIGITS, label: LABEL });
      if (!given.ok) return given;
      const { code, label = 'Authenticator app' } = given.value;
      return answerOpened(ask, await factors.finishTotp(visitOf(ask), held, code, label));
    }),
    toEnrol('/factors/passkey', async (_ask, held) => {
      const options = await factors.beginNewPasskey(held);
      return options.ok ? ok(jsonAnswer(200, options.value)) : options;
    }),
    toEnrol('/factors/passkey/finish', async (ask, held) => {
      const given = await readFields(ask.request, { response: anObject, label: LABEL });
      if (!given.ok) return given;
      const { response, label = 'Passkey' } = given.value;
      return answerOpened(ask, await factors.finishNewPasskey(visitOf(ask), held, response, label));
    }),
    present('delete', '/factors/:id', async (ask, held) =>
      done(await factors.remove(visitOf(ask), held, ask.params['id'] ?? '')),
    ),
    present('put', '/password', async (ask, held) => {
      const given = await readFields(ask.request, { current: PASSWORD, password: PASSWORD });
      return given.ok ? done(await signIn.changePassword(visitOf(ask), held, given.value)) : given;
    }),
    route('post', '/link', async (ask) => {
      const same = checkSameOrigin(ask.request, deps.publicUrl);
      if (!same.ok) return same;
      const given = await readFields(ask.request, { link: text(100), password: PASSWORD });
      if (!given.ok) return given;
      const set = await signIn.redeemLink(visitOf(ask), given.value);
      return set.ok ? ok(jsonAnswer(200, set.value)) : set;
    }),
  ];
}
