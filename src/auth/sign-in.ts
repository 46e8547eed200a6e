import type { default as Provider } from 'oidc-provider';
import type { AuditDraft } from '../audit/index.ts';
import { safeError, type Clock, type Log } from '../kernel/index.ts';
import type { CheckPassword } from './account.ts';
import { must, type AuthStore } from './adapter.ts';
import type { DelayTries } from './delay-tries.ts';
import { endSession, sessionOf } from './end-session.ts';
import type { Federate, FederationRefusal } from './federation.ts';
import type { Html } from './html.ts';
import type { LimitTries } from './limit-tries.ts';
import type { PageFrame } from './page.ts';
import type { RecordDenial } from './record-denial.ts';
import { makeSecondFactor } from './second-factor.ts';
import { signInPage, TOO_MANY } from './sign-in-pages.ts';
import { saveDetails, textOf, type Details, type Visit } from './visit.ts';

export interface SignInDeps {
  readonly tenant: string;
  readonly issuer: string;
  readonly provider: Provider;
  readonly store: AuthStore;
  readonly checkPassword: CheckPassword;
  readonly limitTries: LimitTries;
  readonly delayTries: DelayTries;
  readonly delayCodes: DelayTries;
  readonly limitRequests: LimitTries;
  readonly deny: RecordDenial;
  /** Of whom a second factor is asked who has none; who has one is always asked. */
  readonly secondFactor: 'everybody' | 'nobody';
  readonly localAccounts: 'on' | 'off';
  /** The hospital's own sign-in; null: there is none. */
  readonly federate: (Federate & { readonly host: string }) | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a page is shown to whoever is signing in. */
export interface SignInView {
  readonly frame: PageFrame;
  readonly why: Html;
  readonly show: (page: string, status?: number) => Promise<void>;
}

const NOT_SIGNED_IN =
  'That did not work. Check the name and the password. After several wrong tries you must wait a little.';
const BUSY = 'Many people are signing in at the moment. Try again.';
const PROVIDER_AWAY = "The hospital's sign-in does not answer at the moment. Try again in a minute.";
const MENDED_BY = 'Tell whoever looks after Chartgate';
const REFUSALS: Readonly<Record<FederationRefusal, string>> = {
  answer: "The hospital's sign-in did not come to an end. Begin again.",
  group: `You are in no group that may use apps here. ${MENDED_BY} to have you added to one.`,
  'no-practitioner': `The hospital's sign-in does not say which practitioner you are. ${MENDED_BY} to have that set up.`,
  'not-one-practitioner': `The EHR does not have exactly one active practitioner with your identifier. ${MENDED_BY} to have the EHR's record mended.`,
  'ehr-away': 'The EHR cannot be asked at the moment which practitioner you are. Try again in a minute.',
  disabled: `Your account here is disabled. ${MENDED_BY} if that is wrong.`,
  unbound: `Nobody has made an account for you here yet. ${MENDED_BY} to have one made.`,
  'user-taken': `Somebody else signs in here as that practitioner. ${MENDED_BY} to have the other account removed first.`,
};

/** Signs a person in: by a password and perhaps a code, or by the hospital's provider. */
export function makeSignIn(deps: SignInDeps) {
  const { provider, store, tenant, clock, federate } = deps;

  /** `authTime`: when somebody else saw the person prove who they are, in seconds; it is now where we did. */
  async function finish(
    visit: Visit,
    details: Details,
    accountId: string,
    amr: readonly string[],
    authTime?: number,
  ): Promise<void> {
    // Tokens of one person must not hang on the session of another.
    const { accountId: before = accountId } = await sessionOf(provider, visit);
    if (before !== accountId) {
      await endSession(provider, visit);
      // The request goes on without the session that it began in.
      delete (details as { session?: unknown }).session;
      await saveDetails(details, clock);
    }
    const ts = authTime === undefined ? {} : { ts: authTime };
    const login = { accountId, remember: false, amr: [...amr], ...ts };
    await provider.interactionFinished(visit.request, visit.response, { login });
  }
  const factor = makeSecondFactor({ ...deps, finish });

  const showSignIn = ({ frame, why, show }: SignInView, wrong: string | null, status = 200): Promise<void> => {
    const at = federate === null ? null : { start: `${frame.action}?provider=start`, host: federate.host };
    return show(signInPage(frame, { why, local: deps.localAccounts, provider: at, wrong }), status);
  };

  async function byPassword(visit: Visit, details: Details, view: SignInView, form: URLSearchParams): Promise<void> {
    const { requestId, remoteAddress } = visit;
    if (!deps.limitTries.take(remoteAddress)) {
      deps.deny('sign-in:too-many-tries', visit);
      return showSignIn(view, TOO_MANY, 429);
    }
    const name = textOf(form.get('username')).trim().slice(0, 100);
    const known = must(await store.read('auth.account-by-name', { tenant, name }));
    if (!deps.delayTries.take(remoteAddress, name, known?.wrongTries ?? 0, known?.unlockedAtMs)) {
      deps.deny('sign-in:wait', visit);
      return showSignIn(view, TOO_MANY, 429);
    }
    const passwordHash = known?.password?.hash ?? null;
    const isRight = await deps.checkPassword(textOf(form.get('password')), known?.password ?? null);
    if (isRight === null) {
      deps.limitTries.giveBack(remoteAddress);
      deps.delayTries.giveBack(remoteAddress, name);
      return showSignIn(view, BUSY, 503);
    }
    const audit: AuditDraft = {
      at: clock.now(),
      type: 'auth.sign-in',
      tenant,
      requestId,
      action: 'E',
      outcome: '0',
      client: textOf(details.params['client_id']),
      issuer: deps.issuer,
    };
    const done = must(
      await store.write('auth.sign-in', { name, isRight, passwordHash, factor: deps.secondFactor, audit }),
    );
    if (done.state === 'refused') return showSignIn(view, NOT_SIGNED_IN, 401);
    deps.limitTries.giveBack(remoteAddress);
    deps.delayTries.forget(remoteAddress, name);
    if (done.state === 'signed-in') return finish(visit, details, done.accountId, ['pwd']);
    const { state: kind, accountId } = done;
    return factor.ask(details, view, { accountId, name, passwordHash, kind });
  }

  async function toProvider(visit: Visit, details: Details, view: SignInView, at: Federate): Promise<void> {
    if (!deps.limitRequests.take(visit.remoteAddress)) {
      deps.deny('sign-in:too-many-requests', visit);
      return showSignIn(view, TOO_MANY, 429);
    }
    const { reasons } = details.prompt;
    const purpose = reasons.includes('login_prompt') || reasons.includes('max_age') ? 'proof' : 'sign-in';
    const to = await at.begin(details.uid, purpose).catch((thrown: unknown) => {
      deps.log.warn('auth.provider-failed', { requestId: visit.requestId, error: safeError(thrown) });
      return null;
    });
    if (to === null) return showSignIn(view, PROVIDER_AWAY, 503);
    visit.response.statusCode = 303;
    visit.response.setHeader('Location', to);
    visit.response.end();
  }

  async function fromProvider(visit: Visit, details: Details, view: SignInView, at: Federate): Promise<void> {
    const client = textOf(details.params['client_id']);
    const who = await at.finish(visit.query, details.uid, { ...visit, client });
    if (who.ok) return finish(visit, details, who.value.accountId, ['fed'], who.value.authTime);
    return showSignIn(view, REFUSALS[who.fault], who.fault === 'ehr-away' ? 503 : 403);
  }

  return async (visit: Visit, details: Details, view: SignInView): Promise<void> => {
    const { form, query } = visit;
    if (form === null && federate !== null && query.has('state')) return fromProvider(visit, details, view, federate);
    if (form === null && federate !== null && query.get('provider') === 'start')
      return toProvider(visit, details, view, federate);
    if (form === null || deps.localAccounts === 'off') return showSignIn(view, null);
    if (form.get('step') === 'code') return factor.check(visit, details, view, form, () => showSignIn(view, null));
    return byPassword(visit, details, view, form);
  };
}
