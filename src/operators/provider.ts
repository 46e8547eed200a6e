import { fetchBounded, makeLimitTries, REQUESTS } from '../auth/index.ts';
import { groupsOf, makeAskProvider, type AskProvider, type ProviderFlow } from '../factors/index.ts';
import {
  fail,
  fault,
  ok,
  shareCalls,
  type Answer,
  type Ask,
  type Result,
  type Route,
  type Secret,
} from '../kernel/index.ts';
import { cookieOf, FLOW_COOKIE, noCookie, readCookie, SESSION_COOKIE } from './cookie.ts';
import { newSecret, SECRET, type OperatorDeps } from './deps.ts';
import { draftSignIn } from './draft-audit.ts';
import { SHOWN_NAME } from './operator.ts';
import { ROLES, type Role } from './permissions.ts';
import { SESSION_MS } from './session.ts';
import { visitOf } from './visit-of.ts';

/** The hospital's own sign-in: who the provider vouches for, and which of its groups have which roles here. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly groupsClaim: string;
  readonly groups: ReadonlyMap<string, readonly Role[]>;
}

const START = '/operator/provider/start';
const BACK = '/operator/provider/back';
const PAGE = '/operator/sign-in';
const FLOW_MS = 10 * 60_000;
const AGENT_MAX = 200;

const redirect = (location: string): Answer => ({ status: 303, headers: { Location: location }, body: '' });
const saying = (code: string): Result<Answer> => ok(redirect(`${PAGE}?wrong=${code}`));

export function rolesOfGroups(claim: unknown, groups: ProviderSettings['groups']): Role[] {
  const given = new Set(groupsOf(claim).flatMap((group) => groups.get(group) ?? []));
  return ROLES.filter((role) => given.has(role));
}

const shownAs = (...names: readonly unknown[]): string =>
  names.find((name): name is string => typeof name === 'string' && SHOWN_NAME.test(name)) ?? 'unnamed';

/** Sign-in at an external OpenID provider: authorization code, PKCE, nonce and state; roles are read at every one. */
export function makeProviderRoutes(deps: OperatorDeps & { readonly settings: ProviderSettings | null }): Route[] {
  const { tenant, store, settings, publicUrl, clock, chance } = deps;
  const limit = shareCalls(deps.peers, 'operator-provider', makeLimitTries(clock, REQUESTS));
  const nowMs = (): number => deps.now().getTime();
  const backUrl = new URL(BACK, publicUrl).href;
  const provider =
    settings === null
      ? null
      : makeAskProvider({
          client: {
            issuer: settings.issuer,
            clientId: settings.clientId,
            credential: { kind: 'secret', secret: settings.clientSecret },
            scope: 'openid profile email',
            backUrl,
          },
          fetch: fetchBounded,
          chance,
          clock,
        });

  async function start(ask: Ask, _of: ProviderSettings, at: AskProvider): Promise<Result<Answer>> {
    const visit = visitOf(ask);
    if (!limit.take(visit.address)) {
      deps.deny({ requestId: ask.requestId, why: 'operator-provider:too-many', remoteAddress: visit.address });
      return fail(fault('operator.too-many'));
    }
    const query = new URL(ask.request.url ?? '/', publicUrl).searchParams;
    const purpose = query.get('purpose') ?? 'sign-in';
    if (purpose !== 'sign-in' && purpose !== 'proof')
      return fail(fault('admin.parameter', { at: 'purpose', detail: 'purpose must be sign-in or proof.' }));
    const { flow, to } = await at.begin(purpose);
    const secret = newSecret(chance);
    const put = { tenant, secret: `flow ${secret}`, payload: flow, expiresAtMs: nowMs() + FLOW_MS, atMs: nowMs() };
    const done = await store.write('operator.put-moment', put);
    if (!done.ok) return done;
    ask.setHeader('Set-Cookie', cookieOf(FLOW_COOKIE, secret, FLOW_MS));
    return ok(redirect(to));
  }

  async function back(ask: Ask, of: ProviderSettings, at: AskProvider): Promise<Result<Answer>> {
    const visit = visitOf(ask);
    const secret = readCookie(ask.request, FLOW_COOKIE) ?? '';
    ask.setHeader('Set-Cookie', noCookie(FLOW_COOKIE));
    const refuse = async (why: string): Promise<Result<Answer>> => {
      const audit = draftSignIn(deps, visit, null, `provider:${why}`, '8');
      const done = await store.write('operator.sign-in', { session: null, audit });
      return done.ok ? saying('operator.refused') : done;
    };
    if (!SECRET.test(secret)) return refuse('no-flow');
    const taken = await store.write('operator.take-moment', { tenant, secret: `flow ${secret}`, atMs: nowMs() });
    if (!taken.ok) return taken;
    if (taken.value === null) return refuse('no-flow');
    const flow = taken.value as ProviderFlow;
    const { searchParams } = new URL(ask.request.url ?? '/', publicUrl);
    const claims = await at.finish(searchParams.toString(), flow, [of.groupsClaim]).catch(() => null);
    if (claims === null) return refuse('answer');
    const roles = rolesOfGroups(claims[of.groupsClaim], of.groups);
    if (roles.length === 0) return refuse('no-role');
    const id = deps.newId('opr');
    const atMs = nowMs();
    const session = {
      id: deps.newId('ses'),
      operatorId: id,
      secret: newSecret(chance),
      stage: 'signed-in',
      factor: 'provider',
      wrongTries: 0,
      madeAtMs: atMs,
      seenAtMs: atMs,
      // Somebody whom the provider knew already has not proved anything just now.
      provedAtMs: flow.purpose === 'proof' ? atMs : null,
      expiresAtMs: atMs + SESSION_MS,
      agent: visit.agent.slice(0, AGENT_MAX),
    } as const;
    const name = shownAs(claims['preferred_username'], claims['email'], claims.sub);
    const done = await store.write('operator.provider-sign-in', {
      operator: {
        id,
        name,
        displayName: shownAs(claims['name'], name),
        roles,
        state: 'active',
        proof: { kind: 'provider', issuer: of.issuer, subject: claims.sub },
      },
      session,
      audit: draftSignIn(deps, visit, null, flow.purpose === 'proof' ? 'proof:provider' : 'provider'),
    });
    if (!done.ok) return done;
    if (done.value.state === 'disabled') return saying('operator.refused');
    const cookie = cookieOf(SESSION_COOKIE, session.secret, SESSION_MS);
    return ok({ ...redirect(PAGE), headers: { Location: PAGE, 'Set-Cookie': cookie } });
  }

  const route = (
    path: string,
    handle: (ask: Ask, of: ProviderSettings, at: AskProvider) => Promise<Result<Answer>>,
  ): Route => ({
    method: 'get',
    path,
    access: 'open',
    async handle(ask) {
      if (settings === null || provider === null) return fail(fault('operator.no-provider'));
      try {
        return await handle(ask, settings, provider);
      } catch (thrown) {
        return fail(fault('operator.provider', { cause: thrown }));
      }
    },
  });
  return [route(START, start), route(BACK, back)];
}
